"""A run that dies after any step goes on to the result it would have had."""

from dataclasses import replace

import numpy as np
import pytest

from mcsl import steps
from mcsl.checkpoint import Checkpoint
from mcsl.data import Dataset
from mcsl.errors import OutputError
from mcsl.graph import threshold
from mcsl.learning import Interrupted, learn
from mcsl.problem import Problem
from mcsl.pruning import AdditivePruner, KeepAll
from mcsl.recipe import Recipe
from mcsl.search import Schedule, StopReason
from mcsl.simulation import simulate


class Death(BaseException):
    """Stands for kill -9: nobody catches it."""


class Dying(Checkpoint):
    """A checkpoint whose process dies right after a number of writings."""

    def __init__(self, directory, lives):
        super().__init__(directory)
        self.lives = lives

    def keep(self, *step):
        super().keep(*step)
        self.lives -= 1
        if not self.lives:
            raise Death


@pytest.fixture
def table():
    return simulate("gp-add", n_variables=5, degree=2, n_samples=150, seed=3).dataset


@pytest.fixture(autouse=True)
def keep_every_effect(monkeypatch):
    monkeypatch.setattr(steps, "_BETWEEN", -1.0)


def same(a, b):
    return (
        a.graph == b.graph
        and np.array_equal(a.edge_probabilities, b.edge_probabilities)
        and (a.directions is b.directions or np.array_equal(a.directions, b.directions))
        and a.tests == b.tests
        and a.edge_counts == b.edge_counts
        and a.stop_reason == b.stop_reason
        and a.restarts == b.restarts
        and [replace(row, elapsed=0) for row in a.trace] == [replace(row, elapsed=0) for row in b.trace]
    )


def deaths(table, directory, recipe, **options):
    """Die after one more step each time, and yield what the run after that returns."""
    for lives in range(1, 100):
        try:
            learn(table, recipe, checkpoint=Dying(directory, lives), **options)
        except Death:
            yield learn(table, recipe, checkpoint=directory, **options)
            assert not directory.exists()
        else:
            return


@pytest.mark.parametrize(
    ("recipe", "missing"),
    [(Recipe.default(), "refuse"), (Recipe.additive(), "refuse"), (Recipe.additive(), "mask")],
    ids=["default", "additive", "gaps"],
)
def test_a_run_that_died_anywhere_ends_the_same(table, tmp_path, recipe, missing):
    values = table.values.copy()
    if missing == "mask":
        values[::7, 2] = np.nan
    table = Dataset(values, table.names)
    whole = learn(table, recipe, missing=missing)
    resumed = list(deaths(table, tmp_path / "steps", recipe, missing=missing))
    assert len(resumed) > 4
    assert all(same(whole, result) for result in resumed)


@pytest.mark.parametrize(("batch_size", "restarts"), [(None, 1), (40, 1), (40, 3)])
def test_training_that_died_after_any_stage_ends_the_same(table, tmp_path, batch_size, restarts):
    schedule = Schedule(steps_per_stage=20, required_fall=2.0, batch_size=batch_size, max_stages=3)
    recipe = replace(Recipe.paper(5), schedule=schedule, pruner=KeepAll(), restarts=restarts)
    whole = learn(table, recipe)
    assert len(whole.trace) == 3
    assert any(row.n_steps < 20 for row in whole.trace)
    resumed = list(deaths(table, tmp_path / "steps", recipe))
    assert len(resumed) > 3
    assert all(same(whole, result) for result in resumed)


def test_an_interrupt_of_training_carries_the_masks_so_far(table):
    def impatient(row):
        if row.stage == 2:
            raise KeyboardInterrupt

    recipe = replace(Recipe.paper(5), schedule=Schedule(steps_per_stage=30, max_stages=4))
    with pytest.raises(Interrupted) as interrupt:
        learn(table, recipe, observers=[impatient])
    best = interrupt.value.result
    assert best.stop_reason is StopReason.INTERRUPTED
    assert len(best.trace) == 2
    assert best.graph == threshold(best.edge_probabilities, table.names).graph


def test_an_interrupt_before_the_first_stage_carries_the_graph_of_the_order(table, monkeypatch):
    def impatient(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mcsl.model.MaskedSEM.init", impatient)
    with pytest.raises(Interrupted) as interrupt:
        learn(table, Recipe.masked())
    assert (
        interrupt.value.result.graph
        == Recipe.masked().order.find(Problem.from_dataset(table.standardized())).learned
    )


def test_logarithms_of_columns_are_kept(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    values = np.column_stack([a, np.exp(np.sin(2 * a) + 0.4 * rng.normal(size=400)), rng.normal(size=400)])
    table = Dataset(values, ("a", "b", "c"))
    whole = learn(table, Recipe.additive())
    assert all(same(whole, result) for result in deaths(table, tmp_path / "steps", Recipe.additive()))


def test_what_was_done_is_not_done_again(table, tmp_path, monkeypatch):
    with pytest.raises(Death):
        learn(table, Recipe.additive(), checkpoint=Dying(tmp_path, 3))
    monkeypatch.setattr("mcsl.order.OrderSearch.find", lambda *_: pytest.fail("searched again"))
    tested = []

    class Counting(AdditivePruner):
        def prune_effects(self, graph, problem, observer):
            tested.extend(graph.edges)
            return super().prune_effects(graph, problem, observer)

    Counting.__name__ = Counting.__qualname__ = "AdditivePruner"
    recipe = replace(Recipe.additive(), pruner=Counting(significance=None, mode="auto"))
    result = learn(table, recipe, checkpoint=Checkpoint(tmp_path))
    assert 0 < len(tested) < len(result.tests)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"recipe": Recipe.default()},
        {"lags": 1},
        {"groups": {"g": ["x1", "x2"]}},
        {"data": np.random.default_rng(0).normal(size=(50, 5))},
    ],
)
def test_steps_of_another_run_are_refused(table, tmp_path, change):
    with pytest.raises(Death):
        learn(table, Recipe.additive(), checkpoint=Dying(tmp_path, 2))
    with pytest.raises(OutputError, match=r"holds steps of other data.*with --force in place of --resume"):
        learn(**({"data": table, "recipe": Recipe.additive(), "checkpoint": tmp_path} | change))


def test_steps_may_be_discarded(table, tmp_path):
    with pytest.raises(Death):
        learn(table, Recipe.additive(), checkpoint=Dying(tmp_path / "steps", 2))
    (tmp_path / "steps" / "order.step").write_bytes(b"not what it was")
    with pytest.raises(OutputError, match=r"order.step is damaged; start anew with --force in place"):
        learn(table, Recipe.additive(), checkpoint=tmp_path / "steps")
    steps = Checkpoint(tmp_path / "steps", resume=False)
    learn(table, Recipe.additive(), checkpoint=steps)
    assert (tmp_path / "steps" / "order.step").exists()
    steps.remove()
    assert not (tmp_path / "steps").exists()


def test_files_of_others_are_left_alone(table, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".order.step.0123abcd.partial").write_text("killed while it was written")
    learn(table, Recipe.additive(), checkpoint=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


class Interrupting(AdditivePruner):
    """A pruner during whose work the user loses patience."""

    def prune_effects(self, graph, problem, observer):
        told = []

        def observe(tests):
            observer(tests)
            told.append(tests)
            if len(told) == 2:
                raise KeyboardInterrupt

        return super().prune_effects(graph, problem, observe)


def test_an_interrupt_of_pruning_carries_the_best_graph(table):
    recipe = replace(Recipe.additive(), pruner=Interrupting(significance=None, mode="auto"))
    with pytest.raises(Interrupted) as interrupt:
        learn(table, recipe)
    best = interrupt.value.result
    assert best.stop_reason is StopReason.INTERRUPTED
    whole = learn(table, Recipe.additive())
    tested = {test.effect for test in best.tests}
    assert len(tested) == 2
    assert {e for e in best.graph.edges if e[1] in tested} == {e for e in whole.graph.edges if e[1] in tested}
    assert best.graph.n_edges > 0


def test_an_interrupt_before_there_is_a_graph_is_plain(table, monkeypatch):
    def impatient(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mcsl.order.OrderSearch.find", impatient)
    with pytest.raises(KeyboardInterrupt) as interrupt:
        learn(table, Recipe.additive())
    assert not isinstance(interrupt.value, Interrupted)


def test_a_pruner_of_ones_own_starts_over(table, tmp_path):
    recipe = replace(Recipe.additive(), pruner=KeepAll())
    whole = learn(table, recipe)
    assert all(same(whole, result) for result in deaths(table, tmp_path / "steps", recipe))

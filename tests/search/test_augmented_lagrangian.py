import dataclasses
import itertools
import math

import numpy as np
import pytest

from mcsl.data.dataset import Dataset
from mcsl.errors import SettingsError
from mcsl.graph import threshold
from mcsl.graph.causal_graph import find_cycle
from mcsl.model import MLP, Linear
from mcsl.objective import gaussian_likelihood, least_squares, log_trace_exponential, on_candidates
from mcsl.problem import Problem
from mcsl.search import Schedule, StopReason
from mcsl.search.augmented_lagrangian import search

QUICK = Schedule(
    initial_penalty=1e-2, penalty_growth=5.0, learning_rate=3e-2, steps_per_stage=150, max_stages=40
)


def chain(n: int = 400, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = np.sin(2 * a) * 2 + 0.5 * rng.standard_normal(n)
    c = b**2 / 2 + 0.5 * rng.standard_normal(n)
    return Problem.from_dataset(Dataset(np.column_stack([c, a, b]), ("c", "a", "b")))


def run(problem: Problem, schedule: Schedule = QUICK, seed: int = 0, **parts):
    settings = {
        "mechanism": MLP.init,
        "temperature": 0.2,
        "score": least_squares,
        "acyclicity": log_trace_exponential,
        "sparsity_weight": 2e-3,
        **parts,
    }
    return search(problem, [seed], schedule=schedule, **settings)[0]


def test_a_chain_is_learned_and_both_rules_hold_at_the_end():
    fit = run(chain(), score=gaussian_likelihood)
    assert fit.stop_reason is StopReason.CONVERGED
    last = fit.trace[-1]
    assert last.acyclicity < 1e-10
    assert last.acyclicity_of_probabilities < 1e-10
    graph = threshold(fit.edge_probabilities, ("c", "a", "b")).graph
    assert {("a", "b"), ("b", "c")} <= set(graph.edges)


def test_the_same_seed_gives_the_same_fit_and_another_seed_another():
    problem = chain(100)
    short = dataclasses.replace(QUICK, max_stages=2)
    one, same, other = (run(problem, short, seed).edge_probabilities for seed in (4, 4, 5))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_multiplier_and_penalty_follow_the_papers_equations():
    seen = []
    fit = run(chain(), dataclasses.replace(QUICK, max_stages=8), observers=[seen.append])
    assert tuple(seen) == fit.trace
    rows = fit.trace
    assert rows[0].multiplier == 0
    assert rows[0].penalty == QUICK.initial_penalty
    before = math.inf
    for row, following in itertools.pairwise(rows):
        assert following.multiplier == pytest.approx(row.multiplier + row.penalty * row.acyclicity)
        grown = row.acyclicity >= QUICK.required_decrease * before
        assert following.penalty == pytest.approx(row.penalty * (QUICK.penalty_growth if grown else 1))
        before = row.acyclicity
    assert all(a.progress <= b.progress for a, b in itertools.pairwise(rows))
    assert all(0 <= row.progress <= 1 for row in rows)


def test_limits_are_named():
    problem = chain(100)
    assert run(problem, dataclasses.replace(QUICK, max_stages=1)).stop_reason is StopReason.STAGE_LIMIT
    low = dataclasses.replace(QUICK, max_penalty=2e-2, steps_per_stage=5)
    assert run(problem, low).stop_reason is StopReason.PENALTY_LIMIT
    for reason in StopReason:
        assert reason.sentence.endswith(".")


def test_training_that_leaves_the_finite_numbers_keeps_its_last_finite_stage():
    values = chain(100).dataset.values * 1e25
    fit = run(Problem.from_dataset(Dataset(values, ("c", "a", "b"))))
    assert fit.stop_reason is StopReason.NOT_FINITE
    assert np.isfinite(fit.edge_probabilities).all()


def test_mini_batches_and_all_rows_see_the_same_data():
    problem = chain(600)
    batches = dataclasses.replace(QUICK, batch_size=128, learning_rate=1e-2, steps_per_stage=300)
    fit = run(problem, batches, score=gaussian_likelihood)
    graph = threshold(fit.edge_probabilities, problem.names).graph
    assert {("a", "b"), ("b", "c")} <= set(graph.edges)


def test_stages_that_end_when_they_have_settled_take_fewer_steps_to_the_same_graph():
    problem = chain()
    early = dataclasses.replace(QUICK, steps_per_stage=500, required_fall=1.0)
    fit = run(problem, early, score=gaussian_likelihood)
    graph = threshold(fit.edge_probabilities, problem.names).graph
    assert {("a", "b"), ("b", "c")} <= set(graph.edges)
    assert fit.stop_reason is StopReason.CONVERGED
    steps = [row.n_steps for row in fit.trace]
    assert all(200 <= n <= 500 and n % 100 == 0 for n in steps)
    # The first stage has everything to learn, and later ones little.
    assert np.mean(steps) < 0.8 * steps[0]


def test_without_a_required_fall_a_stage_takes_all_its_steps():
    fit = run(chain(60), dataclasses.replace(QUICK, steps_per_stage=7, max_stages=2), mechanism=Linear.init)
    assert [row.n_steps for row in fit.trace] == [7, 7]


def test_a_fresh_optimizer_forgets_the_gradients_of_earlier_stages():
    two_stages = dataclasses.replace(QUICK, steps_per_stage=7, max_stages=2)
    goes_on = run(chain(60), two_stages)
    forgets = run(chain(60), dataclasses.replace(two_stages, fresh_optimizer=True))
    assert [int(fit.state.optimizer[0].count) for fit in (goes_on, forgets)] == [14, 7]
    assert goes_on.trace[0].score == forgets.trace[0].score
    assert goes_on.trace[1].score != forgets.trace[1].score


def test_only_candidates_become_edges():
    problem = chain(200)
    candidates = np.zeros((3, 3), bool)
    candidates[1, 2] = candidates[2, 1] = True
    fit = run(dataclasses.replace(problem, candidates=candidates))
    assert (fit.edge_probabilities[~candidates] == 0).all()


def test_no_candidates_at_all_converge_at_once():
    fit = run(dataclasses.replace(chain(60), candidates=np.zeros((3, 3), bool)), mechanism=Linear.init)
    assert fit.stop_reason is StopReason.CONVERGED
    assert len(fit.trace) == 1


def test_many_variables_with_few_candidates_train_to_a_dag():
    d = 101
    forward = np.roll(np.eye(d, dtype=bool), 1, axis=1)
    values = np.random.default_rng(0).standard_normal((60, d))
    values[:, 1:] += values[:, :-1]
    dataset = Dataset(values, tuple(map(str, range(d))))
    fit = run(Problem.from_dataset(dataset, forward | forward.T), mechanism=Linear.init)
    assert fit.settings.acyclicity == on_candidates(log_trace_exponential, forward | forward.T)
    assert fit.stop_reason is StopReason.CONVERGED
    assert not find_cycle(fit.edge_probabilities > 0.5)
    assert (fit.edge_probabilities > 0.5).sum() > d / 2


def test_a_penalty_sized_by_the_first_masks():
    fit = run(chain(100), Schedule(steps_per_stage=5, max_stages=3))
    # tr(e^M) - 3 of random masks over three variables is of order 1, and the first penalty is 1 / s0^2.
    assert 1e-2 < fit.trace[0].penalty < 1e2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("initial_penalty", 0.0),
        ("penalty_growth", 1.0),
        ("required_decrease", 1.0),
        ("tolerance", 0.0),
        ("learning_rate", -1.0),
        ("steps_per_stage", 0),
        ("required_fall", 0.0),
        ("batch_size", 0),
        ("max_stages", 0),
        ("max_penalty", math.nan),
    ],
)
def test_settings_out_of_range_are_named(field, value):
    with pytest.raises(SettingsError, match=f"`{field}` must be .* Got {value} instead"):
        Schedule(**{field: value})

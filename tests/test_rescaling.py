from dataclasses import replace

import numpy as np
import pytest

import mcsl
from mcsl.memory import rows_held


def test_a_standardised_graph_survives_other_units():
    simulation = mcsl.simulate("gp-vec", n_variables=3, degree=1, n_samples=200, seed=1, dimension=2)
    result = mcsl.learn(simulation.dataset, mcsl.Recipe.additive(), groups=simulation.groups)
    assert mcsl.check_rescaling(result).verdict == "good"


def test_draws_for_masked_gaps_are_the_same_in_other_units():
    values = mcsl.simulate("gp-add", n_variables=4, degree=1, n_samples=200, seed=1).dataset.values.copy()
    values[np.random.default_rng(0).random(values.shape) < 0.3] = np.nan
    result = mcsl.learn(values, mcsl.Recipe.additive(), missing="mask")
    assert mcsl.check_rescaling(result).verdict == "good"


def test_a_graph_that_hangs_on_variances_does_not():
    class BySize(mcsl.KeepAll):
        """Draws every arrow from a smaller column to a larger one."""

        def prune(self, graph, problem):
            size = problem.dataset.values.std(axis=0)
            by_size = mcsl.CausalGraph(size[:, None] < size, graph.names)
            return replace(super().prune(graph, problem), graph=by_size)

    values = np.random.default_rng(0).standard_normal((200, 3)) * [1, 10, 100]
    recipe = replace(mcsl.Recipe.additive(), standardize=False, pruner=BySize())
    found = mcsl.check_rescaling(mcsl.learn(values, recipe), seed=1)
    assert found.verdict == "bad"
    assert found.figures["shd"] > 0


def test_what_has_no_table_cannot_be_checked(tmp_path):
    values = np.random.default_rng(0).standard_normal((60, 2))
    result = mcsl.learn(values, mcsl.Recipe.additive())
    with pytest.raises(mcsl.DataError, match="without its table"):
        mcsl.check_rescaling(mcsl.load_result(result.save(tmp_path / "run.mcsl")))
    with pytest.raises(mcsl.DataError, match="lags"):
        mcsl.check_rescaling(mcsl.learn(values, mcsl.Recipe.additive(), lags=1))


def test_rows_that_were_not_held_would_change_more_than_units():
    values = np.random.default_rng(0).standard_normal((8000, 3))
    result = mcsl.learn(values, "additive", memory="32MB")
    assert result.n_drawn
    with pytest.raises(mcsl.DataError, match="of 8000 rows are held"):
        mcsl.check_rescaling(result)


def test_all_rows_are_held_again_if_they_were(monkeypatch):
    budgets = []

    def learn(data, recipe, *, memory, **settings):
        budgets.append(memory)
        return mcsl.learn(data, recipe, memory=memory, **settings)

    monkeypatch.setattr("mcsl.rescaling.learn", learn)
    values = np.random.default_rng(0).standard_normal((100, 3))
    mcsl.check_rescaling(mcsl.learn(values, "additive"))
    assert rows_held(10**12, 3, *budgets) == 10**12

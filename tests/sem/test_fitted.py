from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import mcsl
from mcsl.data import SeriesTable
from mcsl.graph import CausalGraph
from mcsl.problem import Problem, Variable, cut_windows
from mcsl.scales import InverseSinh, Logarithm, LogOdds
from mcsl.sem import fit_sem


def chain(n: int = 800, seed: int = 0) -> tuple[CausalGraph, Problem]:
    """a -> b -> c and a -> c, in odd units, with noise of deviation 0.5 before the units."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = np.sin(a) + 0.5 * rng.standard_normal(n)
    c = 2 * b - a + 0.5 * rng.standard_normal(n)
    table = mcsl.Dataset(np.column_stack([a, 100 * b + 7, c]), ("a", "b", "c"))
    graph = CausalGraph.from_edges([("a", "b"), ("b", "c"), ("a", "c")], table.names)
    return graph, Problem.from_dataset(table)


@pytest.fixture(scope="module")
def model():
    return fit_sem(*chain())


def test_predictions_follow_the_mechanisms_in_the_units_of_the_table(model):
    rows = {"a": [0.0, 1.0], "b": [7.0, 107.0], "c": [0.0, 0.0]}
    predicted = model.predict(rows)
    assert predicted.columns == ["a", "b", "c"]
    assert predicted["b"].to_list() == pytest.approx([7, 107 - 100 * (1 - np.sin(1))], abs=10)
    assert predicted["c"].to_list() == pytest.approx([0, 1], abs=0.12)
    assert model.predict({"a": [0.0], "b": [7.0]})["c"].item() == pytest.approx(0, abs=0.12)


def test_held_out_fit_is_near_the_share_that_can_be_explained(model):
    fits = {fit.variable: fit for fit in model.held_out}
    assert set(fits) == {"b", "c"}
    assert fits["b"].r2 == pytest.approx(
        1 - 0.25 / (np.var(np.sin(np.random.default_rng(0).standard_normal(9999))) + 0.25), abs=0.06
    )
    assert 0 < fits["b"].deviation < 0.2


def test_residuals_invert_the_mechanisms(model):
    _, problem = chain()
    residuals = model.residuals(problem.dataset)
    rows = model.counterfactual(problem.dataset, {})
    assert np.allclose(rows.to_numpy(), problem.dataset.values)
    assert abs(np.corrcoef(residuals["c"], problem.dataset.values[:, 0])[0, 1]) < 0.05


def test_samples_have_the_distribution_of_the_table(model):
    _, problem = chain()
    sample = model.sample(4000, seed=1)
    assert sample.height == 4000
    assert np.allclose(sample.to_numpy().std(axis=0), problem.dataset.values.std(axis=0), rtol=0.08)
    assert np.allclose(np.corrcoef(sample.to_numpy().T), np.corrcoef(problem.dataset.values.T), atol=0.06)
    assert sample.equals(model.sample(4000, seed=1))
    assert not sample.equals(model.sample(4000, seed=2))


def test_setting_a_variable_cuts_it_from_its_causes(model):
    done = model.do({"b": 107.0}).sample(2000, seed=3)
    assert (done["b"] == 107.0).all()
    assert done["c"].mean() == pytest.approx(2.0, abs=0.15)
    assert np.corrcoef(done["a"], done["c"])[0, 1] < -0.7
    shifted = model.do({"b": lambda b: b + 50}).sample(2000, seed=3)
    plain = model.sample(2000, seed=3)
    assert np.allclose(shifted["b"] - plain["b"], 50)
    assert (shifted["c"] - plain["c"]).mean() == pytest.approx(1.0, abs=0.1)


def test_a_counterfactual_keeps_the_noise_of_its_row(model):
    noise_b, noise_c = 0.3, -0.4
    row = {"a": 1.0, "b": 100 * (np.sin(1) + noise_b) + 7, "c": 2 * (np.sin(1) + noise_b) - 1 + noise_c}
    other = model.counterfactual(row, {"a": 0.0})
    assert other["a"] == 0.0
    assert other["b"] == pytest.approx(100 * noise_b + 7, abs=8)
    assert other["c"] == pytest.approx(2 * noise_b + noise_c, abs=0.15)
    assert model.counterfactual(row, {"c": 9.0}) == pytest.approx({**row, "c": 9.0})


def test_the_average_effect_counts_all_paths(model):
    truth = 2 * (np.sin(1.0) - np.sin(0.0)) - 1
    effect = model.effect("a", "c", 0.0, 1.0)
    assert effect.low < truth < effect.high
    assert effect.high - effect.low < 0.4
    assert "c changes by" in str(effect)
    back = model.effect("a", "c", 1.0, 0.0)
    assert back.estimate == pytest.approx(-effect.estimate)
    none = model.effect("c", "a", 0.0, 1.0)
    assert (none.estimate, none.low, none.high) == (0, 0, 0)
    held = model.do({"b": 7.0}).effect("a", "c", 0.0, 1.0)
    assert held.estimate == pytest.approx(-1, abs=0.12)
    shifted = model.do({"a": lambda a: a + 1}).effect("b", "c", 7.0, 107.0)
    assert shifted.estimate == pytest.approx(model.effect("b", "c", 7.0, 107.0).estimate, abs=0.05)


def test_a_direct_curve_holds_the_other_causes_and_a_total_one_does_not(model):
    grid = [-1.0, 0.0, 1.0]
    direct = model.effect_curve("a", "c", grid)
    total = model.effect_curve("a", "c", grid, total=True)
    assert np.diff(direct.mean) == pytest.approx([-1, -1], abs=0.2)
    assert np.diff(total.mean) == pytest.approx([2 * np.sin(1) - 1] * 2, abs=0.2)
    assert ((direct.low < direct.mean) & (direct.mean < direct.high)).all()
    assert direct.to_frame().columns == ["a", "mean", "low", "high"]
    assert replace(direct, cause="high").to_frame().columns == ["do(high)", "mean", "low", "high"]
    with pytest.raises(mcsl.GraphError, match="'c' is no direct cause of 'a'"):
        model.effect_curve("c", "a")


def test_a_curve_counts_all_seasons_of_a_table():
    season = np.arange(996) % 5.0
    x, noise = np.random.default_rng(0).standard_normal((2, 996))
    table = pl.DataFrame({"season": season, "x": x, "y": x + season + 0.3 * noise})
    graph = CausalGraph.from_edges([("season", "y"), ("x", "y")], table.columns)
    curve = fit_sem(graph, table).effect_curve("x", "y", [0.0])
    assert curve.low[0] < season.mean() < curve.high[0]


def test_noise_that_multiplies_is_modelled_by_logarithms():
    rng = np.random.default_rng(5)
    x = rng.uniform(1, 5, 1500)
    y = x * np.exp(0.6 * rng.standard_normal(1500))
    graph = CausalGraph.from_edges([("x", "y")], ("x", "y"))
    model = fit_sem(graph, Problem.from_dataset(mcsl.Dataset(np.column_stack([x, y]), ("x", "y"))))
    assert (model.sample(2000)["y"] > 0).mean() > 0.999
    assert model.predict({"x": [2.0, 4.0]})["y"].to_list() == pytest.approx(
        [2 * np.exp(0.18), 4 * np.exp(0.18)], rel=0.1
    )
    other = model.counterfactual({"x": 2.0, "y": 6.0}, {"x": 4.0})
    assert other["y"] == pytest.approx(12, rel=0.12)


def test_few_rows_do_not_make_a_logarithm():
    graph, chosen = CausalGraph.from_edges([("x", "y")], ("x", "y")), []
    for seed in range(20):
        x, noise = np.random.default_rng(seed).standard_normal((2, 20))
        model = fit_sem(graph, pl.DataFrame({"x": x, "y": x + noise}))
        chosen += [scale.curve is not None for scale in model.scales]
    assert sum(chosen) <= 1


def test_noise_whose_scale_depends_on_a_cause_is_sampled_so():
    rng = np.random.default_rng(6)
    x = rng.uniform(-2, 2, 1500)
    y = x + np.exp(0.8 * x) * rng.standard_normal(1500) / 3
    graph = CausalGraph.from_edges([("x", "y")], ("x", "y"))
    model = fit_sem(graph, Problem.from_dataset(mcsl.Dataset(np.column_stack([x, y]), ("x", "y"))))
    narrow, wide = (model.do({"x": at}).sample(3000)["y"].std() for at in (-1.5, 1.5))
    assert wide / narrow == pytest.approx(np.exp(0.8 * 3), rel=0.35)


def test_vectors_are_predicted_and_set_by_column_or_as_a_whole():
    simulation = mcsl.simulate("gp-vec", n_variables=3, degree=1, n_samples=300, seed=2)
    place = {name: i for i, name in enumerate(simulation.dataset.names)}
    owned = {name: tuple(place[c] for c in columns) for name, columns in simulation.groups.items()}
    variables = tuple(Variable(name, columns, columns) for name, columns in owned.items())
    problem = Problem(simulation.dataset, variables, np.ones((3, 3), bool))
    model = fit_sem(simulation.graph, problem)
    cause, effect = simulation.graph.edges[0]
    assert model.predict(simulation.dataset).columns == list(simulation.dataset.names)
    sample = model.do({cause: [1.0, 2.0, 3.0]}).sample(50)
    assert sample[0, f"{cause}.2"] == 2.0
    assert np.isfinite(model.effect(f"{cause}.1", f"{effect}.1", 0.0, 1.0, n_bootstrap=5).low)
    with pytest.raises(mcsl.SettingsError, match="3 finite numbers"):
        model.do({cause: 1.0})
    with pytest.raises(mcsl.SettingsError, match="several columns"):
        model.effect(f"{cause}.1", effect, 0.0, 1.0)


def test_a_lagged_variable_reads_its_past_and_is_sampled_one_step_ahead():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 600))
    for t in range(1, 600):
        y[t] += 0.5 * y[t - 1] + x[t - 1]
    values = np.column_stack([x[1:], y[1:], x[:-1], y[:-1]])
    dataset = mcsl.Dataset(values, ("x", "y", "x[t-1]", "y[t-1]"))
    variables = (Variable("x", (0, 2), (0,)), Variable("y", (1, 3), (1,)))
    graph = CausalGraph.from_edges([("x", "y")], ("x", "y"))
    model = fit_sem(graph, Problem(dataset, variables, np.ones((2, 2), bool)))
    assert model.effect("x[t-1]", "y", 0.0, 1.0).estimate == pytest.approx(1, abs=0.12)
    assert model.effect("x", "y", 0.0, 1.0).estimate == pytest.approx(0, abs=0.12)
    assert model.predict(dataset).columns == ["x", "y"]
    assert model.sample(20).columns == list(dataset.names)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.sample(0), mcsl.SettingsError, "`n_samples` must be a whole number >= 1"),
        (lambda m: m.sample(2.5), mcsl.SettingsError, "`n_samples` must be a whole number"),
        (lambda m: m.do({"z": 1.0}), mcsl.GraphError, "no variable 'z'"),
        (lambda m: m.do({"a": float("nan")}), mcsl.SettingsError, "a finite number or a function"),
        (lambda m: m.do([("a", 1)]), mcsl.SettingsError, "must map names to values"),
        (lambda m: m.do({"a": lambda a: a[:2]}).sample(9), mcsl.SettingsError, "as many finite values"),
        (lambda m: m.do({"a": lambda a: a + np.inf}).sample(9), mcsl.SettingsError, "as many finite values"),
        (lambda m: m.do({"a": lambda a: None}).sample(9), mcsl.SettingsError, "as many finite values"),
        (lambda m: m.predict({"a": [1.0]}), mcsl.DataError, "no column 'b'"),
        (lambda m: m.residuals({"a": [1.0], "b": [1.0], "c": [None]}), mcsl.DataError, "missing"),
        (lambda m: m.residuals({"a": ["x"], "b": [1.0], "c": [2.0]}), mcsl.DataError, "not a number"),
        (lambda m: m.residuals(np.ones((2, 5))), mcsl.DataError, "3 columns"),
        (lambda m: m.residuals(7), mcsl.DataError, "must come as a frame"),
        (lambda m: m.effect("a", "c", 0, 1, level=1.0), mcsl.SettingsError, "`level`"),
        (lambda m: m.effect("a", "c", 0, 1, level="x"), mcsl.SettingsError, "`level` must be a number > 0"),
        (lambda m: m.effect_curve("a", "c", level=None), mcsl.SettingsError, "`level` must be a number > 0"),
        (lambda m: m.effect("a", "c", 0, 1, n_bootstrap=1), mcsl.SettingsError, "`n_bootstrap`"),
        (lambda m: m.effect("a", "c", 0, 1, n_bootstrap=2.5), mcsl.SettingsError, "`n_bootstrap`"),
        (lambda m: m.effect("a", "c", 0, lambda a: a), mcsl.SettingsError, "must be numbers, not functions"),
        (lambda m: m.effect_curve("a", "c", []), mcsl.SettingsError, "`grid`"),
        (lambda m: m.effect_curve("a", "c", ["high"]), mcsl.SettingsError, "`grid`"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_sentence(model, call, error, message):
    with pytest.raises(error, match=message):
        call(model)


def test_far_beyond_the_rows_curves_are_straight_lines(model):
    near, far, farthest = (
        model.effect("a", "b", 0.0, to, n_bootstrap=2).estimate for to in (1e6, 2e6, 1e300)
    )
    assert far / near == pytest.approx(2, rel=1e-5)
    assert farthest / near == pytest.approx(1e294, rel=1e-5)


def test_a_column_on_a_log_scale_may_be_set_to_zero():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(500)
        y = np.exp(x + 0.5 * rng.standard_normal(500))
        table = mcsl.Dataset(np.column_stack([x, y, 2 * y + rng.standard_normal(500)]), ("x", "y", "w"))
        sem = fit_sem(CausalGraph.from_edges([("x", "y"), ("y", "w")], table.names), table)
        assert sem.scales[1].curve.sign == 1
        found = sem.effect("y", "w", 1.0, 0.0)
        assert found.low < -2 < found.high
        assert abs(found.estimate + 2) < 4
        row = {"x": 0.0, "y": 0.1, "w": -2.0}
        assert sem.counterfactual(row, {"x": 0.0}) == pytest.approx(row)


@pytest.mark.parametrize("edge", [0.0, 100.0])
def test_a_point_mass_at_the_edge_keeps_its_units(edge):
    rng = np.random.default_rng(1)
    x, noise = rng.standard_normal((2, 800))
    censored = np.maximum(0, x + noise + 0.5) if not edge else np.minimum(edge, edge + x + noise - 0.5)
    table = mcsl.Dataset(np.column_stack([x, censored]), ("x", "y"))
    sem = fit_sem(CausalGraph.from_edges([("x", "y")], table.names), table)
    sampled = sem.sample(800)["y"]
    assert sampled.mean() == pytest.approx(censored.mean(), abs=0.15)
    assert abs(sem.effect("x", "y", 0.0, 1.0).estimate) < 1.1


def test_roots_are_drawn_from_their_own_values():
    rng = np.random.default_rng(0)
    switch = (rng.random(40) < 0.5).astype(float)
    table = mcsl.Dataset(np.column_stack([switch, switch + rng.standard_normal(40)]), ("a", "b"))
    sem = fit_sem(CausalGraph.from_edges([("a", "b")], table.names), table)
    drawn = sem.sample(100)["a"].to_numpy()
    assert np.abs(drawn - drawn.round()).max() < 1e-12


def test_numbers_for_a_group_go_to_its_columns_in_its_order():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 400))
    values = {"s.x": x, "s.y": y, "w": 2 * x + 0.1 * rng.standard_normal(400)}
    result = mcsl.learn(pl.DataFrame(values), "additive", groups={"s": ["s.y", "s.x"]})
    assert result.groups["s"] == ("s.y", "s.x")
    found = result.sem.do({"s": [5.0, 0.0]}).sample(3)
    assert found["s.y"].to_list() == [5.0] * 3
    assert found["s.x"].to_list() == [0.0] * 3


@pytest.mark.parametrize("method", ["predict", "residuals"])
def test_rows_as_they_are_know_of_no_intervention(model, method):
    rows = {"a": [0.0], "b": [7.0], "c": [0.0]}
    with pytest.raises(mcsl.SettingsError, match=f"`{method}` speaks of rows as they are"):
        getattr(model.do({"a": 1.0}), method)(rows)


def test_functions_are_given_one_table_at_a_time(model):
    shapes = set()

    def half(values):
        shapes.add(values.ndim)
        return np.full(len(values), 7.0)

    constant = model.do({"b": half}).effect("a", "c", 0.0, 1.0, n_bootstrap=20)
    assert shapes == {1}
    fixed = model.do({"b": 7.0}).effect("a", "c", 0.0, 1.0, n_bootstrap=20)
    assert constant.estimate == pytest.approx(fixed.estimate, abs=1e-9)


def test_a_curve_sees_what_interventions_make_of_the_other_causes():
    rng = np.random.default_rng(0)
    a, x = rng.standard_normal((2, 500))
    m = a + 0.3 * rng.standard_normal(500)
    y = m + x + 0.3 * rng.standard_normal(500)
    table = mcsl.Dataset(np.column_stack([a, m, x, y]), ("a", "m", "x", "y"))
    sem = fit_sem(CausalGraph.from_edges([("a", "m"), ("m", "y"), ("x", "y")], table.names), table)
    for total in (False, True):
        curve = sem.do({"a": 2.0}).effect_curve("x", "y", [0.0], total=total)
        assert curve.mean[0] == pytest.approx(2, abs=0.2)
    direct = sem.do({"a": 2.0}).effect_curve("m", "y", [0.0])
    assert direct.mean[0] == pytest.approx(0, abs=0.2)


def test_rows_come_from_any_frame(model):
    _, problem = chain(50, seed=9)
    frame = pl.DataFrame(problem.dataset.values, schema=["a", "b", "c"])
    expected = model.predict(problem.dataset)
    for rows in (frame, frame.lazy(), frame.to_pandas(), frame.to_numpy(), frame.select("c", "b", "a")):
        assert model.predict(rows).equals(expected)


COLUMNS = {
    "binary": lambda rng, n: rng.integers(0, 2, n),
    "counts": lambda rng, n: rng.poisson(2, n),
    "constant": lambda rng, n: np.ones(n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "orders of magnitude": lambda rng, n: np.exp(3 * rng.standard_normal(n)),
    "huge": lambda rng, n: 1e200 * rng.standard_normal(n),
    "tiny": lambda rng, n: 1e-200 * rng.standard_normal(n),
    "far from zero": lambda rng, n: 1e9 + rng.standard_normal(n),
    "mostly one value": lambda rng, n: np.where(rng.uniform(size=n) < 0.8, 0.0, rng.standard_normal(n)),
}


@pytest.mark.parametrize("effect", COLUMNS)
@pytest.mark.parametrize("cause", COLUMNS)
@pytest.mark.parametrize("n", [10, 60])
def test_any_column_can_be_a_cause_or_an_effect(cause, effect, n):
    rng = np.random.default_rng(n)
    values = np.column_stack([COLUMNS[cause](rng, n), rng.standard_normal(n), COLUMNS[effect](rng, n)])
    graph = CausalGraph.from_edges([("a", "c"), ("b", "c")], ("a", "b", "c"))
    model = fit_sem(graph, Problem.from_dataset(mcsl.Dataset(values, graph.names)))
    assert np.isfinite(model.sample(20).to_numpy()).all()
    assert np.isfinite(model.predict(values).to_numpy()).all()
    found = model.effect("a", "c", values[:, 0].min(), values[:, 0].max(), n_bootstrap=5)
    assert np.isfinite([found.low, found.estimate, found.high]).all()
    assert np.allclose(model.counterfactual(values, {}).to_numpy(), values)


def test_few_rows_gaps_and_few_values_are_no_obstacle():
    graph, problem = chain(60)
    values = problem.dataset.values.copy()
    values[3, 1] = np.nan
    values[:, 0] = values[:, 0] > 0
    model = fit_sem(graph, replace(problem, dataset=mcsl.Dataset(values, ("a", "b", "c"))))
    assert len(model.values) == 59
    assert model.effect("a", "b", 0.0, 1.0).estimate > 0
    with pytest.raises(mcsl.DataError, match="at least 10 complete rows"):
        fit_sem(*chain(9))


def test_causes_that_act_together_are_seen_in_a_sorted_table():
    rng = np.random.default_rng(0)
    a, b, noise = rng.standard_normal((3, 3000))
    values = np.column_stack([a, b, np.where(a > 0, np.sin(2 * a) * b, 0) + 0.3 * noise])
    graph = mcsl.CausalGraph.from_edges([("a", "c"), ("b", "c")], ("a", "b", "c"))
    shares = [
        mcsl.fit_sem(graph, mcsl.Dataset(rows, graph.names)).held_out[0].r2
        for rows in (values, values[np.argsort(a)])
    ]
    assert shares[0] > 0.7
    assert shares[1] == pytest.approx(shares[0], abs=0.05)


def test_the_own_past_of_a_series_is_no_cause():
    rng = np.random.default_rng(0)
    x, y, z = rng.standard_normal((3, 400))
    for t in range(1, 400):
        z[t] += 0.9 * z[t - 1]
        y[t] += np.tanh(2 * x[t])
    knowledge = mcsl.Knowledge(required=[("x1", "x2")], leaves=["x3"], forbidden=[("x1", "x3"), ("x2", "x3")])
    result = mcsl.learn(np.column_stack([x, y, z]), "additive", lags=1, knowledge=knowledge)
    assert result.graph.edges == (("x1", "x2"),)
    assert [fit.variable for fit in result.sem.held_out] == ["x2"]
    findings = {finding.name: finding for finding in result.trust}
    assert findings["prediction"].sentence.startswith("Causes and own past explain")
    assert set(findings["independence"].figures) == {"x2"}


def test_bands_are_wider_where_rows_of_a_series_are_alike():
    x, noise = np.random.default_rng(0).standard_normal((2, 400))
    graph = mcsl.CausalGraph.from_edges([("x", "y")], ("x", "y"))
    widths = []
    for memory in (0.0, 0.9):
        y = np.zeros(400)
        for t in range(1, 400):
            y[t] = memory * y[t - 1] + x[t] + noise[t]
        problem = cut_windows(SeriesTable.of(mcsl.Dataset(np.column_stack([x, y]), graph.names)), lags=1)[0]
        curve = mcsl.fit_sem(graph, problem).effect_curve("x", "y", [0.0])
        widths.append((curve.high - curve.low)[0] / y.std())
    # The mean of so slow a series is as sure as that of a twentieth of its rows.
    assert widths[1] > 2 * widths[0]


def test_a_group_may_be_called_like_one_of_its_columns():
    rng = np.random.default_rng(0)
    x, y, noise = rng.standard_normal((3, 300))
    frame = pl.DataFrame({"x": x, "y": y, "z": np.sin(x) + y + 0.3 * noise})
    knowledge = mcsl.Knowledge(required=[("x", "z")])
    result = mcsl.learn(frame, "additive", groups={"x": ["x", "y"]}, knowledge=knowledge)
    assert result.sem.effect("x", "z", [0.0, 0.0], [0.0, 1.0]).estimate == pytest.approx(1, abs=0.15)
    curve = result.sem.effect_curve("x", "z", [-1.0, 0.0, 1.0])
    assert np.diff(curve.mean) == pytest.approx([np.sin(1)] * 2, abs=0.15)


def test_no_fold_is_empty_where_few_rows_were_measured():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, noise = rng.standard_normal((2, 400))
        y = np.where(np.arange(400) < 20, x + noise, np.nan)
        known = mcsl.Knowledge(required=[("x1", "x2")])
        result = mcsl.learn(np.column_stack([x, y]), "additive", knowledge=known, missing="mask", seed=seed)
        assert np.isfinite(result.sem.mechanisms[1].held_out_r2).all()
        assert len(result.sem.mechanisms[1].held_out_r2) == 5


def test_means_of_multiplied_noise_count_all_of_it():
    rng = np.random.default_rng(2)
    x, noise = rng.standard_normal((2, 3000))
    values = np.column_stack([x, np.exp(0.5 * x + noise)])
    graph = mcsl.CausalGraph.from_edges([("x1", "x2")], ("x1", "x2"))
    model = mcsl.fit_sem(graph, mcsl.Dataset(values, graph.names))
    assert isinstance(model.scales[1].curve, Logarithm)
    expected = np.exp(0.5 * x) * np.exp(noise).mean()
    predicted = model.predict(mcsl.Dataset(values, graph.names))["x2"].to_numpy()
    assert np.median(predicted / expected) == pytest.approx(1, abs=0.05)


def test_a_table_with_gaps_is_fitted_to_its_complete_rows():
    graph, problem = chain(60)
    values = problem.dataset.values.copy()
    values[[3, 5], 1] = np.nan
    frame = pl.DataFrame(values, schema=["a", "b", "c"])
    assert len(mcsl.fit_sem(graph, frame).values) == 58


@pytest.fixture(scope="module")
def mostly_unmeasured():
    """600 rows of x -> y with three of four y missing, and the same with the measured rows alone."""
    rng = np.random.default_rng(3)
    x, noise = rng.standard_normal((2, 600))
    y = np.where(rng.random(600) < 0.75, np.nan, np.tanh(x) + 0.5 * noise)
    knowledge = mcsl.Knowledge(required=[("x1", "x2")])
    return [
        mcsl.learn(np.column_stack([x, y]), "additive", knowledge=knowledge, missing=rule)
        for rule in ("mask", "drop")
    ]


def test_noise_and_intervals_are_those_of_measured_rows(mostly_unmeasured):
    masked, dropped = (result.sem for result in mostly_unmeasured)
    n_measured = len(dropped.values)
    assert len(masked.values) == 600
    assert len(masked.measured(0)) == 600
    assert len(masked.noise(1)) == len(masked.measured(1)) == n_measured
    wide, narrow = (sem.effect("x1", "x2", 0.0, 1.0) for sem in (masked, dropped))
    assert wide.high - wide.low == pytest.approx(narrow.high - narrow.low, rel=0.15)
    assert wide.low < np.tanh(1) < wide.high
    assert np.std(masked.noise(1)) == pytest.approx(np.std(dropped.noise(1)), rel=0.05)


def test_draws_for_causes_do_not_count_against_a_model(mostly_unmeasured):
    verdicts = [{f.name: f.verdict for f in result.trust}["independence"] for result in mostly_unmeasured]
    assert verdicts == ["good", "good"]


def test_what_was_measured_is_saved(mostly_unmeasured, tmp_path):
    masked = mostly_unmeasured[0]
    masked.save(tmp_path / "masked.mcsl")
    again = mcsl.load_result(tmp_path / "masked.mcsl").sem
    np.testing.assert_array_equal(again.observed, masked.sem.observed)
    assert again.effect("x1", "x2", 0.0, 1.0) == masked.sem.effect("x1", "x2", 0.0, 1.0)


def test_a_result_fits_its_model_when_asked():
    _, problem = chain(300)
    result = mcsl.learn(problem.dataset)
    assert result.sem is result.sem
    assert result.sem.graph == result.graph
    assert result.sem.columns == ("a", "b", "c")


def test_a_graph_from_elsewhere_is_fitted_to_any_table():
    graph, problem = chain(200)
    frame = pl.DataFrame(problem.dataset.values, schema=["a", "b", "c"]).with_columns(extra=pl.col("a") ** 2)
    model = mcsl.fit_sem(graph, frame.select("extra", "c", "b", "a"))
    assert model.columns == ("a", "b", "c")
    assert model.sample(5).equals(fit_sem(graph, problem).sample(5))
    with pytest.raises(mcsl.GraphError, match="no column for b"):
        mcsl.fit_sem(graph, frame.drop("b"))


@pytest.mark.parametrize(
    ("kind", "bend"),
    [(LogOdds, lambda z: 100 / (1 + np.exp(-2 * z))), (InverseSinh, lambda z: np.sinh(2 * z))],
)
def test_what_is_bent_on_both_sides_is_modelled_on_its_scale(kind, bend):
    rng = np.random.default_rng(3)
    x, noise = rng.standard_normal((2, 1500))
    table = mcsl.Dataset(np.column_stack([x, bend(0.7 * x + 0.5 * noise)]), ("x", "y"))
    model = fit_sem(CausalGraph.from_edges([("x", "y")], table.names), table)
    assert isinstance(model.scales[1].curve, kind)
    row = {"x": 0.5, "y": float(bend(0.7 * 0.5 + 0.4))}
    other = model.counterfactual(row, {"x": 1.0})
    assert other["y"] == pytest.approx(bend(0.7 + 0.4), rel=0.1)
    sampled = model.sample(2000, seed=1)["y"].to_numpy()
    spread = np.ptp(table.values[:, 1])
    np.testing.assert_allclose(
        np.quantile(sampled, [0.1, 0.5, 0.9]),
        np.quantile(table.values[:, 1], [0.1, 0.5, 0.9]),
        atol=0.05 * spread,
    )


def test_effects_of_series_say_which_time_they_speak_of():
    rng = np.random.default_rng(0)
    load, queue, other = rng.standard_normal((3, 801))
    queue[1:] = 2 * np.tanh(load[:-1]) + 0.5 * queue[1:]
    table = mcsl.Dataset(np.column_stack([load, queue, other])[1:], ("load", "queue", "other"))
    knowledge = mcsl.Knowledge(required=[("load", "queue")], roots=["load", "other"], leaves=["other"])
    sem = mcsl.learn(table, "additive", lags=2, knowledge=knowledge).sem
    now = sem.effect("load", "queue", 0.0, 1.0)
    assert now.past == ("load[t-1]", "load[t-2]")
    assert " goes from 0.0 to 1.0 at the same time (95%" in str(now)
    assert str(now).endswith(
        '; what it does later is told by effect("load[t-1]", ...) or effect("load[t-2]", ...)'
    )
    later = sem.effect("load[t-1]", "queue", 0.0, 1.0)
    assert later.estimate == pytest.approx(2 * np.tanh(1), abs=0.2)
    assert (later.past, str(later).count("time"), str(later).count("later")) == ((), 0, 0)
    assert sem.effect("other", "queue", 0.0, 1.0).past == ()


def test_an_effect_at_the_same_time_needs_no_hint():
    rng = np.random.default_rng(0)
    load, queue = rng.standard_normal((2, 400))
    table = mcsl.Dataset(np.column_stack([load, load + queue]), ("load", "queue"))
    knowledge = mcsl.Knowledge(required=[("load", "queue")])
    now = mcsl.learn(table, "additive", lags=1, knowledge=knowledge).sem.effect("load", "queue", 0.0, 1.0)
    assert "at the same time (95%" in str(now)
    assert str(now).endswith(")")
    assert "later" not in str(now)

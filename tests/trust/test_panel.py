from dataclasses import replace

import numpy as np
import pytest

import mcsl
from mcsl.graph import Stability
from mcsl.trust.mechanisms import check_mechanisms


def learned(model="gp-add", seed=7, **options):
    settings = {"n_variables": 5, "degree": 1.5, "n_samples": 400, "seed": seed, **options}
    return mcsl.learn(mcsl.simulate(model, **settings).dataset, mcsl.Recipe.additive())


def verdicts(result):
    return {finding.name: finding.verdict for finding in result.trust}


def finding(result, name):
    return next(finding for finding in result.trust if finding.name == name)


@pytest.fixture(scope="module")
def sound():
    return learned()


def test_a_sound_result_gets_a_clean_panel(sound):
    assert set(verdicts(sound)) == {
        "search", "units", "predictability", "prediction", "independence", "direction", "reverses",
        "borderline",
    }  # fmt: skip
    assert "bad" not in verdicts(sound).values()
    for found in sound.trust:
        assert found.sentence.endswith(".")
        assert bool(found.advice) == (found.verdict != "good")
    assert sound.trust is sound.trust


def test_straight_lines_with_normal_noise_have_no_direction():
    result = learned("linear")
    assert finding(result, "direction").verdict == "bad"
    assert "other way around" in finding(result, "direction").sentence
    skewed = learned("linear", noise_distribution="half-normal", n_samples=800)
    assert finding(skewed, "direction").verdict == "good"
    assert finding(result, "reverses").verdict == "bad"
    assert finding(skewed, "reverses").verdict == "good"


def test_arrows_that_fit_as_well_turned_around_are_named(sound):
    directions = np.where(sound.graph.adjacency, 0.99, 0.0)
    cause, effect = sound.graph.edges[0]
    directions[sound.graph.names.index(cause), sound.graph.names.index(effect)] = 0.7
    found = finding(replace(sound, directions=directions), "reverses")
    assert found.verdict == "caution"
    assert (
        found.sentence == f"1 of {sound.graph.n_edges} arrows does not fit clearly better than the reverse."
    )
    assert f"Take {cause} -> {effect} (0.70) as joined but not directed" in found.advice
    assert "reverses" not in verdicts(replace(sound, directions=None))


def test_the_model_has_nothing_to_say_of_directions_that_are_known():
    x, noise = np.random.default_rng(0).standard_normal((2, 300))
    known = mcsl.Knowledge(required=[("x1", "x2")])
    assert "reverses" not in verdicts(
        mcsl.learn(np.column_stack([x, x + noise]), "additive", knowledge=known)
    )


def fitted(edges, **columns):
    table = mcsl.Dataset(np.column_stack([*columns.values()]), tuple(columns))
    return mcsl.fit_sem(mcsl.CausalGraph.from_edges(edges, table.names), table)


def test_few_rows_do_not_make_a_curve_of_a_straight_line():
    told = []
    for seed in range(20):
        a, b, c, noise = np.random.default_rng(seed).standard_normal((4, 60))
        sem = fitted([("a", "y"), ("b", "y"), ("c", "y")], a=a, b=b, c=c, y=a + b + c + noise)
        told.append(check_mechanisms(sem)[2].verdict == "good")
    assert sum(told) <= 2


def test_a_straight_line_among_curves_is_named():
    rng = np.random.default_rng(0)
    rain, sun, own_growth, own_harvest = rng.standard_normal((4, 1000))
    growth = np.tanh(rain) + 0.5 * sun**2 + 0.4 * own_growth

    def direction(harvest):
        table = mcsl.Dataset(
            np.column_stack([rain, sun, growth, harvest]), ("rain", "sun", "growth", "harvest")
        )
        return finding(mcsl.learn(table, "additive"), "direction")

    straight = direction(2 * growth + np.sin(2 * sun) + 0.4 * own_harvest)
    assert straight.verdict == "caution"
    assert straight.sentence.startswith("Among curves, growth → harvest is a line without a bend")
    assert direction(2 * np.tanh(growth) + np.sin(2 * sun) + 0.4 * own_harvest).verdict == "good"
    # Noise that is not normal tells the direction of lines.
    assert direction(2 * growth + np.sin(2 * sun) + 0.4 * own_harvest**3).verdict == "good"


def test_causes_whose_noise_is_not_normal_give_straight_lines_a_direction():
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(-2, 2, 600), rng.standard_normal(600)
    assert check_mechanisms(fitted([("x", "y")], x=x, y=x + noise))[2].verdict == "good"
    normal = rng.standard_normal(600)
    assert check_mechanisms(fitted([("x", "y")], x=normal, y=normal + noise))[2].verdict == "bad"


def test_time_tells_the_direction_of_what_acts_later():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 601))
    b[1:] += a[:-1]
    later = mcsl.learn(np.column_stack([a, b])[1:], "additive", lags=1)
    assert later.graph.edges == (("x1", "x2"),)
    assert finding(later, "direction").verdict == "good"


def test_a_root_that_follows_from_its_past_has_little_noise():
    rng = np.random.default_rng(2)
    values = rng.standard_normal((800, 2))
    for t in range(1, 800):
        values[t, 0] += 0.95 * values[t - 1, 0]
        values[t, 1] += values[t, 0]
    recipe = mcsl.Recipe.additive()
    equal = replace(recipe, standardize=False, order=replace(recipe.order, equal_variances=True))
    assert finding(mcsl.learn(values, equal, lags=1), "variances").verdict == "good"


def test_a_hidden_common_cause_shows_in_the_residuals():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(800)
    x = hidden**2 + 0.3 * rng.standard_normal(800)
    y = np.sin(2 * hidden) * 2 + 0.3 * rng.standard_normal(800)
    z = np.tanh(x) + 0.3 * rng.standard_normal(800)
    table = mcsl.Dataset(np.column_stack([x, y, z]), ("x", "y", "z"))
    required = mcsl.Knowledge(required=(("x", "y"),))
    result = mcsl.learn(table, mcsl.Recipe.additive(), knowledge=required)
    found = finding(result, "independence")
    assert found.verdict != "good"
    assert "y" in found.sentence
    assert found.figures["y"] < 0.001


def test_variances_at_face_value_are_named_where_they_give_the_order_away():
    recipe = mcsl.Recipe.additive()
    order = replace(recipe.order, equal_variances=True)
    values = np.cumsum(np.random.default_rng(1).laplace(size=(600, 4)), axis=1)
    found = finding(mcsl.learn(values, replace(recipe, standardize=False, order=order)), "units")
    assert found.figures["var-sortability"] > 0.8
    assert found.verdict == "bad"
    assert found.sentence.startswith("Variances were taken at face value, and sorting by them alone gives")


def test_variances_do_not_matter_to_a_score_without_units():
    values = np.cumsum(np.random.default_rng(1).laplace(size=(600, 4)), axis=1)
    plain = replace(mcsl.Recipe.additive(), standardize=False)
    result = mcsl.learn(values, plain)
    found = finding(result, "units")
    assert found.figures["var-sortability"] > 0.8
    assert (found.verdict, found.sentence) == (
        "good", "The score is free of units, so units cannot matter."
    )  # fmt: skip
    assert mcsl.learn(values * [1e3, 1, 1e-3, 20], plain).graph == result.graph


def test_networks_and_equal_variances_read_units():
    plain = mcsl.Recipe.default()
    equal = replace(plain, standardize=False, order=replace(plain.order, equal_variances=True))
    masked = replace(mcsl.Recipe.masked(), standardize=False)
    assert all(recipe.reads_units for recipe in (equal, masked, mcsl.Recipe.paper(5)))
    assert not any(recipe.reads_units for recipe in (plain, replace(plain, standardize=False)))


@pytest.mark.parametrize(("units", "verdict"), [((1, 1, 1, 1), "good"), ((1, 1, 10, 1), "bad")])
def test_least_squares_says_whether_noise_variances_are_equal(units, verdict):
    recipe = mcsl.Recipe.additive()
    order = replace(recipe.order, equal_variances=True)
    values = np.cumsum(np.random.default_rng(1).standard_normal((600, 4)), axis=1)
    result = mcsl.learn(values * units, replace(recipe, standardize=False, order=order))
    found = finding(result, "variances")
    assert found.verdict == verdict
    assert set(found.figures) == set(result.graph.names)
    assert "variances" not in verdicts(mcsl.learn(values, recipe))


def test_huge_ratios_of_noise_variances_are_told_in_words():
    recipe = mcsl.Recipe.additive()
    equal = replace(recipe, standardize=False, order=replace(recipe.order, equal_variances=True))
    values = np.cumsum(np.random.default_rng(1).standard_normal((300, 3)), axis=1)
    found = finding(mcsl.learn(values * [1, 1, 1e9], equal), "variances")
    assert "more than a million" in found.sentence


def test_a_code_for_gaps_is_told_from_values(sound):
    rng = np.random.default_rng(0)
    values = rng.normal(20, 3, (300, 3)).round(1)
    values[:, 1] = np.sin(values[:, 0]) + 0.3 * rng.normal(size=300)
    values[::7, 0] = -999
    found = finding(mcsl.learn(values), "codes")
    assert found.verdict == "bad"
    assert found.sentence == "x1 is -999 in 43 rows, far from all other values."
    assert found.figures == {"x1": 43}
    assert "codes" not in verdicts(sound)


def test_zeros_levels_and_single_outliers_are_no_codes():
    rng = np.random.default_rng(0)
    rain = np.maximum(rng.normal(size=300), 0)
    levels = rng.choice([0.0, 1, 50], 300)
    far = rng.normal(size=300)
    far[5] = 1e6
    values = np.column_stack([rain, levels, far, rain + rng.normal(size=300)])
    assert "codes" not in verdicts(mcsl.learn(values, "additive"))


def test_searches_that_did_not_end_well_are_said_to(sound):
    unfinished = replace(sound, stop_reason=mcsl.StopReason.STAGE_LIMIT)
    assert finding(unfinished, "search").verdict == "caution"
    assert finding(unfinished, "search").advice == "Raise `max_stages` or `penalty_growth`."
    broken = replace(sound, stop_reason=mcsl.StopReason.NOT_FINITE)
    assert finding(broken, "search").verdict == "bad"
    cut = replace(sound, cut_edges=(("x1", "x2"),))
    assert "x1 -> x2" in finding(cut, "search").sentence


def test_edges_near_the_level_and_edges_that_rarely_return_are_counted(sound):
    level = 1 / 20 if sound.recipe.pruner.significance is None else sound.recipe.pruner.significance
    edge = replace(sound.tests[0], value=min(level, 0.001) / 2, kept=True)
    near = replace(sound, tests=(edge, *sound.tests[1:]))
    assert f"{edge.cause} -> {edge.effect}" in finding(near, "borderline").figures
    known = replace(sound, tests=(replace(edge, test="required"), *sound.tests[1:]))
    assert f"{edge.cause} -> {edge.effect}" not in finding(known, "borderline").figures
    d = sound.graph.n_variables
    rare = Stability(sound.graph.names, np.full((d, d), 0.3), 20, ~np.eye(d, dtype=bool))
    assert finding(replace(sound, stability=rare), "stability").verdict == "bad"
    often = Stability(sound.graph.names, np.full((d, d), 0.9), 20, ~np.eye(d, dtype=bool))
    assert finding(replace(sound, stability=often), "stability").verdict == "good"


def test_a_graph_without_edges_needs_no_mechanisms():
    result = mcsl.learn(np.random.default_rng(0).standard_normal((200, 3)), mcsl.Recipe.additive())
    assert result.graph.n_edges == 0
    assert set(verdicts(result)) <= {"search", "units", "borderline"}


@pytest.mark.parametrize(
    ("column", "counts"),
    [
        (np.arange(1, 401), True),
        (np.arange(400) * -0.1 + 7, True),
        (np.cumsum(np.random.default_rng(0).integers(1, 5, 400)), True),
        (np.sort(np.random.default_rng(0).standard_normal(400)), False),
        (np.arange(400) // 2, False),
        (np.random.default_rng(0).permutation(400), False),
    ],
    ids=["identifier", "clock", "identifier with gaps", "sorted", "pairs", "shuffled"],
)
def test_columns_that_count_the_rows_are_named(column, counts):
    values = np.random.default_rng(1).standard_normal((400, 3))
    values[:, 1] = column
    result = mcsl.learn(values, mcsl.Recipe.additive())
    assert ("counters" in verdicts(result)) == counts
    if counts:
        assert finding(result, "counters").sentence.startswith("x2 counts the rows")


@pytest.mark.parametrize(
    ("column", "copies"),
    [(lambda x: 1.8 * x + 32, True), (lambda x: -1e-9 * x, True), (lambda x: x + 0.01 * x**2, False)],
    ids=["Fahrenheit", "turned", "curved"],
)
def test_columns_in_another_unit_are_named(column, copies):
    values = np.random.default_rng(1).standard_normal((400, 3))
    values[:, 2] = column(values[:, 0])
    result = mcsl.learn(values, "additive")
    assert ("copies" in verdicts(result)) == copies
    if copies:
        assert finding(result, "copies").sentence.startswith("x1 and x3 are the same but for scale")


def test_rows_that_come_twice_are_counted():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((200, 3))
    twice = mcsl.learn(np.concatenate([values, values[:50]]), "additive")
    assert finding(twice, "repeats").sentence.startswith("50 rows are copies of others")
    grades = mcsl.learn(rng.integers(0, 4, (200, 3)).astype(float), "additive")
    assert "repeats" not in verdicts(grades)


def test_gaps_hide_neither_copies_nor_counters():
    rng = np.random.default_rng(3)
    values = rng.standard_normal((300, 4))
    values[:, 2], values[:, 3] = 1.8 * values[:, 0] + 32, np.arange(300) * 0.5
    values[rng.random(values.shape) < 0.1] = np.nan
    result = mcsl.learn(values, "additive", missing="mask")
    assert finding(result, "copies").sentence.startswith("x1 and x3 are")
    assert finding(result, "counters").sentence.startswith("x4 counts the rows")


@pytest.mark.parametrize(("rule", "share"), [("mask", 0.1), ("impute", 0.1), ("drop", 0.1), ("mask", 0.005)])
def test_the_share_of_values_that_were_drawn_is_said(rule, share):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((400, 3))
    values[rng.permutation(400)[: round(3 * 400 * share)], 0] = np.nan
    result = mcsl.learn(values, "additive", missing=rule)
    if rule == "drop" or share < 0.01:
        assert "gaps" not in verdicts(result)
    else:
        assert finding(result, "gaps").verdict == "caution"
        assert finding(result, "gaps").sentence.startswith("10% of the values were missing and drawn")
        assert "--missing drop" in finding(result, "gaps").advice
        assert finding(result, "gaps").figures == {"share": 0.1}


@pytest.mark.parametrize(("n_samples", "few"), [(99, True), (100, False)])
def test_few_rows_are_said(n_samples, few):
    result = mcsl.learn(np.random.default_rng(0).standard_normal((n_samples, 3)), "additive")
    assert ("rows" in verdicts(result)) == few


def test_groups_and_lags_are_assessed_too():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 500))
    for t in range(1, 500):
        y[t] += 0.4 * y[t - 1] + np.sin(2 * x[t - 1])
    result = mcsl.learn(np.column_stack([x, y]), mcsl.Recipe.additive(), lags=1)
    assert verdicts(result)["independence"] == "good"
    assert "predictability" not in verdicts(result)


def test_columns_on_other_scales_are_named_and_only_if_there_are_any():
    z = np.random.default_rng(6).standard_normal((800, 4))
    z[:, 1:] += z[:, :1]
    values = np.column_stack([z[:, 0], np.exp(z[:, 1]), np.arctan(2 * z[:, 2]), z[:, 3] ** 3])
    knowledge = mcsl.Knowledge(tiers=[["x1"], ["x2", "x3", "x4"]])
    found = {f.name: f for f in mcsl.learn(values, "additive", knowledge=knowledge).trust}
    assert found["scales"].sentence == (
        "Noise adds up on another scale of x2 (logarithm), x3 (log-odds), x4 (inverse hyperbolic sine)."
    )
    assert "scales" not in {f.name for f in mcsl.learn(z, "additive", knowledge=knowledge).trust}


def test_groups_of_one_column_with_a_name_of_their_own_are_assessed(tmp_path):
    z = np.random.default_rng(0).standard_normal((300, 3))
    z[:, 1] += np.sin(2 * z[:, 0])
    table = mcsl.Dataset(z, ("a.x", "b.y", "c"))
    result = mcsl.learn(table, "additive", groups={"b": ["b.y"], "a": ["a.x"]})
    plain = mcsl.learn(mcsl.Dataset(z, ("a", "b", "c")), "additive")
    assert set(result.graph.edges) == set(plain.graph.edges) == {("a", "b")}
    assert finding(result, "predictability").figures == finding(plain, "predictability").figures
    assert mcsl.load_result(result.save(tmp_path / "run.mcsl")).graph == result.graph


def test_columns_that_do_not_vary_where_both_were_measured_are_no_copies():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 200).astype(float)
    of_men = np.where(sex == 1, rng.gamma(2, 1, 200), np.nan)
    values = np.column_stack([rng.standard_normal(200), sex, of_men])
    assert "copies" not in verdicts(mcsl.learn(values, "additive", missing="mask"))
    apart = rng.standard_normal((100, 3))
    apart[:49, 0] = apart[51:, 1] = np.nan
    assert "copies" not in verdicts(mcsl.learn(apart, "additive", missing="mask"))


def test_lookalikes_are_named_together():
    z = np.random.default_rng(0).standard_normal((300, 4))
    z[:, 2] = z[:, 0] + 0.2 * z[:, 2]
    result = mcsl.learn(z, "additive")
    assert finding(result, "lookalikes").sentence.startswith("x1 ≈ x3 are nearly the same")


def test_copies_and_counters_of_a_series_are_named():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    series = mcsl.Dataset(np.column_stack([x, 1.8 * x + 32, np.arange(300)]), ("C", "F", "day"))
    result = mcsl.learn(series, "additive", lags=1)
    assert finding(result, "copies").sentence.startswith("C and F are the same")
    assert finding(result, "counters").sentence.startswith("day counts the rows")
    assert finding(result, "counters").advice == "Learn without such columns."


def test_small_counts_tell_little_of_directions():
    rng = np.random.default_rng(0)
    visits = rng.poisson(3, 600).astype(float)
    orders = rng.poisson(1 + visits).astype(float)
    named = {
        f.name: f for f in check_mechanisms(fitted([("visits", "orders")], visits=visits, orders=orders))
    }
    assert "visits" in named["levels"].sentence
    assert "direction" not in named


def test_yes_and_no_tell_little_of_directions_and_are_not_judged_by_additive_noise():
    rng = np.random.default_rng(0)
    x, u = rng.standard_normal((2, 600))
    b = (rng.random(600) < 1 / (1 + np.exp(-2 * x))).astype(float)
    named = {f.name: f for f in check_mechanisms(fitted([("x", "b")], x=x, b=b, u=u))}
    assert named["levels"].sentence.startswith("b takes few values")
    assert not {"independence", "direction"} & set(named)
    edges = [("b", "x"), ("x", "u")]
    named = {f.name: f for f in check_mechanisms(fitted(edges, x=x, b=b, u=np.sin(2 * x) + 0.3 * u))}
    assert named["levels"].verdict == "caution"
    assert set(named["direction"].figures) == {"u"}
    assert named["direction"].sentence.endswith("into every other variable.")
    assert set(named["independence"].figures) == {"x", "u"}


def test_what_others_explain_wholly_may_have_been_computed():
    rng = np.random.default_rng(0)
    x, e = rng.standard_normal((2, 500))
    prediction = check_mechanisms(fitted([("x", "cube"), ("x", "y")], x=x, cube=x**3, y=x + e))[0]
    assert prediction.verdict == "caution"
    assert prediction.sentence.endswith("and all of cube by x: columns that determine each other.")


def test_causes_never_explain_less_than_nothing():
    z = np.random.default_rng(2).standard_normal((30, 3))
    edges = [("a", "c"), ("b", "c")]
    prediction = check_mechanisms(fitted(edges, a=z[:, 0], b=z[:, 1], c=z[:, 2]))[0]
    assert prediction.figures["c"] < 0
    assert prediction.sentence.startswith("Causes explain 0% of a variable")

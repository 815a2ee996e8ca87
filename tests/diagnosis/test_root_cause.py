from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcsl
from mcsl.errors import DataError, SettingsError
from mcsl.graph import CausalGraph
from mcsl.outputs.root_cause import _view, write_root_cause
from mcsl.simulation import simulate_incident

NAMES = ("database", "search", "site", "ads")
CHAIN = CausalGraph.from_edges([("database", "search"), ("search", "site")], NAMES)


def operate(n, rng, *, fault=0.0):
    """database -> search -> site, and ads on its own; the fault delays the search."""
    database = rng.gamma(4, 0.25, n)
    search = 2 * database + 0.3 * rng.normal(size=n) + fault
    site = np.maximum(search, 0) ** 1.2 + 0.3 * rng.normal(size=n)
    return np.column_stack([database, search, site, rng.normal(size=n)])


def frame(values, names=NAMES):
    return pl.DataFrame(values, schema=list(names))


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    return frame(operate(400, rng)), frame(operate(6, rng, fault=4.0))


@pytest.fixture(scope="module")
def result(tables):
    return mcsl.root_cause(tables[1], baseline=tables[0], target="site", known_graph=CHAIN)


def test_the_broken_variable_comes_before_its_victims(result):
    assert result.root_cause == "search"
    assert result.anomalous[:2] == ("search", "site") or result.anomalous[:2] == ("site", "search")
    assert result.candidate("search").noise > 3 > result.candidate("site").noise
    assert result.candidate("database").anomaly < 1


def test_every_candidate_has_a_reason_and_the_first_a_path(result):
    assert [candidate.rank for candidate in result.ranking] == [1, 2, 3, 4]
    assert result.ranking[0].path == ("search", "site")
    assert all(candidate.reason.endswith(".") for candidate in result.ranking)
    assert "by search -> site" in result.ranking[0].reason
    assert result.candidate("ads").reason == "It keeps within what is normal."


def test_the_title_of_the_picture_is_no_longer_than_names_allow(tables):
    names = ("database", "search" * 50, "site", "ads")
    normal, broken = (table.rename({"search": names[1]}) for table in tables)
    graph = CausalGraph(CHAIN.adjacency, names)
    found = mcsl.root_cause(broken, baseline=normal, target="site", known_graph=graph)
    assert _view(found)[1]["title"] == f"Root cause of site: {'search' * 4}…{('search' * 4)[1:]}"


def test_what_cannot_be_root_never_is(tables):
    found = mcsl.root_cause(tables[1], baseline=tables[0], target="site", cannot_be_root=["search"])
    assert "search" not in [candidate.name for candidate in found.ranking]
    assert "search" in found.anomalous


@settings(deadline=None, max_examples=8)
@given(excluded=st.sets(st.sampled_from(NAMES), max_size=3))
def test_what_cannot_be_root_never_is_whatever_it_is(tables, excluded):
    found = mcsl.root_cause(
        tables[1], baseline=tables[0], target="site", cannot_be_root=sorted(excluded), known_graph=CHAIN
    )
    assert {candidate.name for candidate in found.ranking} == set(NAMES) - excluded
    assert not set(found.by_paper) & excluded


def test_a_known_graph_is_used_as_it_is_and_calls_run_against_causes(tables):
    calls = CausalGraph(CHAIN.adjacency.T, NAMES)
    options = {"baseline": tables[0], "target": "site"}
    by_causes = mcsl.root_cause(tables[1], known_graph=CHAIN, **options)
    by_calls = mcsl.root_cause(tables[1], known_graph=calls, graph_of="calls", **options)
    assert by_causes.graph == by_calls.graph == CHAIN
    assert by_causes.graph_is_known
    assert by_causes.ranking == by_calls.ranking


def test_a_long_path_is_drawn_as_a_whole(tmp_path):
    rng = np.random.default_rng(0)
    names = tuple(f"s{k}" for k in range(20))
    chain = CausalGraph.from_edges(list(pairwise(names)), names)
    normal, incident = np.cumsum(rng.standard_normal((2, 200, 20)) * 0.1 + np.eye(1, 20), axis=2)
    incident += 50
    found = mcsl.root_cause(
        mcsl.Dataset(incident, names),
        baseline=mcsl.Dataset(normal, names),
        target="s19",
        known_graph=chain,
    )
    first = replace(found.ranking[0], path=names)
    long = replace(found, ranking=(first, *found.ranking[1:]))
    write_root_cause(long, tmp_path / "out")
    assert (tmp_path / "out" / "graph.svg").exists()


@pytest.mark.parametrize("name", ["graph.csv", "graph.gml"])
def test_a_known_graph_may_be_a_file(tables, result, tmp_path, name):
    path = mcsl.write_graph(CHAIN, tmp_path / name)
    for known in (path, str(path)):
        found = mcsl.root_cause(tables[1], baseline=tables[0], target="site", known_graph=known)
        assert found.graph_is_known
        assert found.ranking == result.ranking


def test_what_is_no_graph_is_refused(tables):
    with pytest.raises(SettingsError, match=r"must be a CausalGraph, .* or the path of a file\. Got ndarray"):
        mcsl.root_cause(tables[1], baseline=tables[0], known_graph=CHAIN.adjacency)
    with pytest.raises(DataError, match=r"There is no file nowhere\.csv"):
        mcsl.root_cause(tables[1], baseline=tables[0], known_graph="nowhere.csv")


def test_a_known_graph_leads_through_what_was_not_measured(tables):
    names = (*NAMES, "queue")
    longer = CausalGraph.from_edges([("database", "search"), ("search", "queue"), ("queue", "site")], names)
    found = mcsl.root_cause(tables[1], baseline=tables[0], target="site", known_graph=longer)
    assert found.graph == CHAIN


def test_the_papers_rule_prefers_the_root_with_the_most_descendants(tables):
    found = mcsl.root_cause(tables[1], baseline=tables[0], target="site", known_graph=CHAIN)
    assert found.by_paper[0] == "search"
    reversed_graph = CausalGraph(CHAIN.adjacency.T, NAMES)
    found = mcsl.root_cause(tables[1], baseline=tables[0], target="site", known_graph=reversed_graph)
    assert found.by_paper[0] == "site"


def test_a_candidate_that_is_not_in_the_ranking_is_named(result):
    with pytest.raises(SettingsError, match=r"'zzz' is not in the ranking, which has the candidates '\w+', "):
        result.candidate("zzz")


def test_given_anomalous_variables_are_the_only_candidates(tables):
    found = mcsl.root_cause(tables[1], baseline=tables[0], anomalous=["site", "search"])
    assert {candidate.name for candidate in found.ranking} == {"site", "search"}
    assert found.root_cause == "search"
    assert found.target is None


def test_the_baseline_may_be_the_first_rows_of_the_same_table(tables):
    together = pl.concat(tables)
    found = mcsl.root_cause(together, baseline=400, target="site")
    assert (found.n_baseline, found.n_incident) == (400, 6)
    assert found.root_cause == "search"
    half = mcsl.root_cause(together, target="site", known_graph=CHAIN)
    assert (half.n_baseline, half.n_incident) == (203, 203)


def test_missing_samples_say_nothing(tables):
    rng = np.random.default_rng(1)
    normal, incident = (table.to_numpy().copy() for table in tables)
    normal[rng.random(normal.shape) < 0.16] = np.nan
    incident[0, 1] = incident[3, 2] = np.nan
    found = mcsl.root_cause(frame(incident), baseline=frame(normal), target="site", known_graph=CHAIN)
    assert found.root_cause == "search"
    assert found.n_missing == np.isnan(normal).sum() + 2


def test_columns_that_cannot_be_judged_are_named(tables):
    normal = tables[0].with_columns(new=pl.lit(None, dtype=pl.Float64), note=pl.lit("ok"))
    incident = tables[1].with_columns(new=pl.lit(1.0), late=pl.lit(2.0))
    found = mcsl.root_cause(incident, baseline=normal, target="site", known_graph=CHAIN)
    assert found.left_out == {
        "late": "it is not in the baseline",
        "new": "the baseline has 0 values of it",
        "note": "it holds text, for example 'ok' in row 0 (counting from 0)",
    }


def test_a_column_with_a_word_among_its_numbers_is_named(tables, tmp_path):
    database = [*tables[1]["database"].cast(pl.String).to_list()[:-1], "timeout"]
    path = tmp_path / "incident.csv"
    tables[1].with_columns(database=pl.Series(database)).write_csv(path)
    found = mcsl.root_cause(path, baseline=tables[0], target="site", known_graph=CHAIN)
    assert found.left_out == {"database": "it holds text, for example 'timeout' in line 7"}
    with pytest.raises(SettingsError, match="'database', which cannot be judged: it holds text, for example"):
        mcsl.root_cause(path, baseline=tables[0], target="database", known_graph=CHAIN)


CLOCKS = {
    "dates": pl.datetime_range(pl.datetime(2024, 5, 1), pl.datetime(2024, 5, 1, 6, 45), "1m", eager=True),
    "numbers": pl.Series(range(1714521600, 1714521600 + 60 * 406, 60)),
}


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS.keys())
def test_rows_are_put_in_order_of_time(tables, result, clock, tmp_path):
    newest_first = pl.concat(tables).with_columns(time=clock).reverse()
    newest_first.write_csv(tmp_path / "both.csv")
    indexed = newest_first.to_pandas().set_index("time")
    for data in (newest_first, tmp_path / "both.csv", indexed):
        found = mcsl.root_cause(data, baseline=400, target="site", known_graph=CHAIN)
        assert found.graph.names == NAMES
        assert (found.anomalous, found.root_cause) == (result.anomalous, "search")


def test_an_index_of_dates_is_the_time_in_parquet_too(tables, result, tmp_path):
    newest_first = pl.concat(tables).reverse().to_pandas().set_axis(CLOCKS["dates"].reverse())
    newest_first.to_parquet(tmp_path / "both.parquet")
    found = mcsl.root_cause(tmp_path / "both.parquet", baseline=400, target="site", known_graph=CHAIN)
    assert found.graph.names == NAMES
    assert (found.anomalous, found.root_cause) == (result.anomalous, "search")


def test_rows_stand_as_they_are_where_their_time_cannot_be_read(tables, caplog):
    together = pl.concat(tables).with_columns(when=pl.lit("12:30 PM"))
    found = mcsl.root_cause(together, baseline=400, target="site", known_graph=CHAIN)
    assert found.root_cause == "search"
    assert "holds '12:30 PM', which is no time, in row 0" in caplog.text
    assert "taken in the order in which they stand" in caplog.text


def test_several_columns_of_dates_are_left_out_and_named(tables, result):
    day = pl.lit("2024-05-01").str.to_date()
    normal = tables[0].with_columns(begun=day, ended=day)
    found = mcsl.root_cause(tables[1], baseline=normal, target="site", known_graph=CHAIN)
    assert found.left_out == {"begun": "it holds dates", "ended": "it holds dates"}
    assert found.ranking == result.ranking
    together = pl.concat(tables).with_columns(begun=day, ended=day)
    assert mcsl.root_cause(together, baseline=400, known_graph=CHAIN).left_out == found.left_out
    one = mcsl.root_cause(tables[1], baseline=normal.drop("ended"), target="site", known_graph=CHAIN)
    assert one.left_out == {}
    with pytest.raises(SettingsError, match="`target` names 'begun', which cannot be judged: it holds dates"):
        mcsl.root_cause(tables[1], baseline=normal, target="begun", known_graph=CHAIN)


def test_a_variable_that_never_moved_may_be_the_cause():
    rng = np.random.default_rng(2)
    normal, incident = operate(300, rng), operate(5, rng, fault=4.0)
    names = (*NAMES, "valve")
    normal = np.column_stack([normal, np.full(300, 100.0)])
    incident = np.column_stack([incident, np.full(5, 60.0)])
    found = mcsl.root_cause(frame(incident, names), baseline=frame(normal, names), target="site")
    assert found.root_cause == "valve"
    assert found.candidate("valve").reach == 0.5


def test_units_and_order_of_columns_do_not_matter(tables):
    order, scale = [2, 0, 3, 1], np.array([1e3, 1e-3, 1.0, 50.0])
    names = tuple(NAMES[k] for k in order)
    moved = [frame((t.to_numpy() * scale + 7)[:, order], names) for t in tables]
    plain = mcsl.root_cause(tables[1], baseline=tables[0], target="site", known_graph=CHAIN)
    other = mcsl.root_cause(moved[1], baseline=moved[0], target="site", known_graph=CHAIN)
    for candidate in plain.ranking:
        assert other.candidate(candidate.name).score == pytest.approx(candidate.score, abs=1e-6)


def test_without_anything_anomalous_nothing_is_said_to_be():
    rng = np.random.default_rng(3)
    calm = mcsl.root_cause(frame(operate(10, rng)), baseline=frame(operate(300, rng)), known_graph=CHAIN)
    assert calm.anomalous == ()
    assert all(candidate.reason == "It keeps within what is normal." for candidate in calm.ranking)


def test_mistakes_are_told_in_one_sentence(tables):
    options = {"baseline": tables[0]}
    with pytest.raises(SettingsError, match="`target` names 'shop', which is no column; there are database"):
        mcsl.root_cause(tables[1], target="shop", **options)
    with pytest.raises(SettingsError, match="`target` must be the name of a column"):
        mcsl.root_cause(tables[1], target=["site"], **options)
    with pytest.raises(SettingsError, match="`cannot_be_root` must be a list of names"):
        mcsl.root_cause(tables[1], cannot_be_root="site", **options)
    with pytest.raises(SettingsError, match="`anomalous` names no variable; name one, or leave it out"):
        mcsl.root_cause(tables[1], anomalous=[], **options)
    with pytest.raises(SettingsError, match="`graph_of` must be 'causes' or 'calls'"):
        mcsl.root_cause(tables[1], graph_of="arrows", **options)
    with pytest.raises(SettingsError, match="rules out every candidate"):
        mcsl.root_cause(tables[1], anomalous=["site"], cannot_be_root=["site"], **options)
    with pytest.raises(SettingsError, match="`lags` must be a whole number >= 0"):
        mcsl.root_cause(tables[1], lags=-1, **options)
    with pytest.raises(SettingsError, match="no variable in common"):
        mcsl.root_cause(tables[1], known_graph=CausalGraph(np.zeros((2, 2)), ("a", "b")), **options)
    with pytest.raises(DataError, match="of which 5 are the baseline; it needs at least 20"):
        mcsl.root_cause(tables[0], baseline=5)
    gone = tables[1].with_columns(site=pl.lit(None, dtype=pl.Float64))
    with pytest.raises(SettingsError, match="cannot be judged: the incident has no value of it"):
        mcsl.root_cause(gone, target="site", **options)


def test_lags_leave_enough_of_the_baseline(tables):
    options = {"baseline": tables[0][:25], "target": "site", "known_graph": CHAIN}
    assert mcsl.root_cause(tables[1], lags=5, **options).lags == 5
    for lags in (6, 40):
        with pytest.raises(SettingsError, match=f"must be at most 5, so that 20 of the 25 .* Got {lags} ins"):
            mcsl.root_cause(tables[1], lags=lags, **options)
    with pytest.raises(SettingsError, match="`lags` must be at most 380"):
        mcsl.root_cause(pl.concat(tables), baseline=400, lags=401)


def test_columns_that_stand_still_once_lags_are_cut_off_are_silent():
    rng = np.random.default_rng(5)
    normal, incident = operate(100, rng), operate(6, rng, fault=4.0)
    normal[:, 3] = incident[:, 3] = 0.0
    normal[0, 3] = 1.0
    early, ends = normal.copy(), normal.copy()
    early[22:, 3] = np.nan
    ends[-1, 3] = 1.0
    for baseline, lags, known in ((normal, 1, None), (early, 22, CHAIN), (ends, 2, None)):
        found = mcsl.root_cause(
            frame(incident), baseline=frame(baseline), target="site", lags=lags, known_graph=known
        )
        assert found.root_cause == "search"


def test_simulated_incidents_are_explained_with_their_lags():
    right = 0
    for seed in range(6):
        incident = simulate_incident(n_variables=8, seed=seed)
        found = mcsl.root_cause(incident.incident, baseline=incident.baseline, target=incident.target, lags=1)
        right += found.root_cause == incident.root_cause
    assert right >= 4


def test_what_was_off_before_the_symptom_began_did_not_cause_it():
    rng = np.random.default_rng(4)
    incident = np.concatenate([operate(4, rng), operate(4, rng, fault=4.0)])
    incident[:, 3] += 50
    found = mcsl.root_cause(
        frame(incident), baseline=frame(operate(300, rng)), target="site", known_graph=CHAIN
    )
    assert found.root_cause == "search"
    assert found.candidate("ads").reason == "It was off already before the symptom began."


def test_commas_beside_points_are_not_judged(tmp_path):
    path = tmp_path / "incident.csv"
    path.write_text("\n".join(["a;b", *(f"1,{100 + i};0.{100 + i}" for i in range(60))]))
    with pytest.raises(DataError, match="mixes commas and points as decimal marks, such as '1,100'"):
        mcsl.root_cause(path)


@pytest.mark.parametrize("unit", [1.0, 100.0, 1e-6])
def test_what_was_always_zero_is_loud_in_any_unit(unit):
    rng = np.random.default_rng(0)
    normal, incident = (operate(200, rng) for _ in range(2))
    normal[:, 3], incident[:, 3] = 0.0, 0.9 * unit
    found = mcsl.root_cause(frame(incident), baseline=frame(normal))
    assert found.anomalous[0] == "ads"

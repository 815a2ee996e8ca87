"""The scikit-learn face: conventions checked by scikit-learn itself, and what fit leaves behind."""

import pickle
import re
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import mcsl
from mcsl.outputs.plots import graph_svg

TOO_FEW_ROWS = "it fits {} rows, and fewer than 20 are refused: no spline of a cause could be tested on them"
EXPECTED_FAILED_CHECKS = {
    "check_n_features_in_after_fitting": TOO_FEW_ROWS.format(15),
    "check_estimators_nan_inf": TOO_FEW_ROWS.format(10),
}


@parametrize_with_checks(
    [mcsl.MCSL(), mcsl.MCSL("additive", missing="mask")],
    expected_failed_checks=lambda estimator: EXPECTED_FAILED_CHECKS,
)
def test_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def frame():
    simulation = mcsl.simulate("gp-add", n_variables=5, degree=1, n_samples=200, seed=3)
    return pd.DataFrame(
        simulation.dataset.values, columns=["rain", "sun", "<b>growth</b>", "pests", "harvest"]
    )


@pytest.fixture(scope="module")
def fitted(frame):
    return mcsl.MCSL("additive", knowledge=mcsl.Knowledge(required=[("rain", "harvest")])).fit(frame)


def test_what_the_expected_failures_would_have_checked(frame):
    # The same as in the two checks above, on rows enough.
    estimator = mcsl.MCSL("additive")
    assert not hasattr(estimator, "n_features_in_")
    assert estimator.fit(frame.to_numpy()).n_features_in_ == 5
    assert not hasattr(estimator, "feature_names_in_")
    for bad in (np.nan, np.inf):
        broken = frame.to_numpy().copy()
        broken[0, 0] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            mcsl.MCSL("additive").fit(broken)
    with pytest.raises(mcsl.DataError, match=r"The column 'rain' has missing values .* choose `missing="):
        mcsl.MCSL("additive").fit(frame.assign(rain=np.nan))
    with pytest.raises(ValueError, match="infinity"):
        mcsl.MCSL("additive", missing="mask").fit(broken)


def test_the_graph_in_every_form(fitted, frame):
    matrix = fitted.adjacency_matrix_
    assert list(matrix.index) == list(matrix.columns) == list(frame.columns)
    assert matrix.loc["rain", "harvest"] == 1
    assert isinstance(fitted.causal_graph_, nx.DiGraph)
    assert set(fitted.causal_graph_.edges) == {
        (cause, effect) for cause in matrix.index for effect in matrix.columns if matrix.loc[cause, effect]
    }
    assert set(fitted.causal_graph_.nodes) == set(frame.columns)
    order = {name: place for place, name in enumerate(fitted.causal_order_)}
    assert all(order[cause] < order[effect] for cause, effect in fitted.causal_graph_.edges)
    assert fitted.edge_probabilities_.loc["rain", "harvest"] == 1.0
    assert list(fitted.feature_names_in_) == list(frame.columns)
    assert fitted.n_features_in_ == 5


def test_it_says_what_learn_says(fitted, frame):
    result = mcsl.learn(frame, mcsl.Recipe.additive(), knowledge=fitted.knowledge)
    assert result.graph == fitted.result_.graph
    other = clone(fitted).set_params(recipe=mcsl.Recipe.additive(), random_state=np.random.RandomState(1))
    assert other.fit(frame).result_.graph == result.graph


def test_clones_and_pickles(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(copy)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert loaded.result_.graph == fitted.result_.graph
    assert loaded.adjacency_matrix_.equals(fitted.adjacency_matrix_)


def test_rows_are_sorted_by_dates_in_the_index(frame):
    timed = frame.set_axis(pd.date_range("2024-05-01", periods=len(frame), freq="1h"))
    fits = [mcsl.MCSL("additive", lags=1).fit(rows).result_ for rows in (timed, timed[::-1], frame)]
    assert fits[0].fingerprint == fits[1].fingerprint == fits[2].fingerprint
    with pytest.raises(mcsl.DataError, match="There is a gap in the time column 'index'"):
        mcsl.MCSL("additive", lags=1).fit(timed.drop(index=timed.index[50:90]))


def test_groups_lags_and_gaps(frame):
    values = frame.to_numpy().copy()
    grouped = mcsl.MCSL("additive", groups={"sky": ["x1", "x2"]}).fit(values)
    assert list(grouped.adjacency_matrix_.columns) == ["sky", "x3", "x4", "x5"]
    assert mcsl.MCSL("additive", lags=1).fit(values).result_.series.lags == 1
    values[::7, 2] = np.nan
    masked = mcsl.MCSL("additive", missing="mask").fit(values)
    assert masked.result_.missing.n_missing == len(values[::7])


def test_a_recipe_that_is_none_is_refused(frame):
    with pytest.raises(
        mcsl.SettingsError, match=r"must be a Recipe or one of default, additive, masked, paper\. Got 'x'"
    ):
        mcsl.MCSL("x").fit(frame)


def test_a_notebook_shows_the_graph_and_escapes_names(fitted):
    page = fitted._repr_html_()
    drawing = graph_svg(fitted.result_)
    assert drawing in page
    assert drawing in fitted._repr_mimebundle_()["text/html"]
    assert "<b>growth</b>" not in page
    assert "</svg>\n</div>" not in mcsl.MCSL()._repr_html_()
    with sklearn.config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()
        assert not hasattr(fitted, "_repr_html_")


def test_without_matplotlib_and_pandas_there_are_lists_and_arrays(fitted, frame, monkeypatch):
    monkeypatch.setattr("mcsl.estimator.find_spec", lambda name: None)
    assert "<li>rain → harvest</li>" in fitted._repr_html_()
    assert "&lt;b&gt;growth" in fitted._repr_html_()
    refitted = mcsl.MCSL("additive").fit(frame)
    assert isinstance(refitted.adjacency_matrix_, np.ndarray)


def test_importing_mcsl_loads_no_scikit_learn():
    code = "import sys, mcsl; sys.exit('sklearn' in sys.modules or 'MCSL' not in dir(mcsl))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbered_columns_have_the_names_that_learn_gives_them(frame):
    numbered = frame.set_axis(range(frame.shape[1]), axis=1)
    model = mcsl.MCSL("additive").fit(numbered)
    assert model.result_.graph == mcsl.learn(numbered, "additive").graph
    assert model.causal_order_ == list(mcsl.learn(numbered, "additive").graph.order)


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.assign(sun=pd.Categorical([10, 20, 30, 40] * 50)),
        lambda frame: frame.assign(sun=["1", "2", "3", "4"] * 50),
        lambda frame: frame.assign(sun=pd.date_range("2024-05-01", periods=200)),
        lambda frame: frame.set_axis(["a", "b", "a", "c", "d"], axis=1),
        lambda frame: pl.DataFrame({"a": frame["rain"].to_numpy(), "b": ["1", "2"] * 100}),
        lambda frame: frame[["rain"]],
    ],
    ids=["categories", "digits", "dates", "names", "polars", "one column"],
)
def test_frames_are_refused_as_learn_refuses_them(frame, change):
    with pytest.raises(mcsl.DataError) as by_learn:
        mcsl.learn(change(frame), "additive")
    with pytest.raises(mcsl.DataError) as by_fit:
        mcsl.MCSL("additive").fit(change(frame))
    # Its advice is one that a frame alone can follow.
    assert str(by_fit.value) == re.sub(r" with mcsl\S*\(.*?\)", "", str(by_learn.value))


def test_frames_of_any_kind_give_the_graph_that_learn_gives(frame):
    columns = {name: column.to_numpy() for name, column in frame.items()}
    saved = pl.DataFrame(columns | {"__index_level_0__": np.arange(200)[::-1]})
    for data in (pl.DataFrame(columns), pa.table(columns), saved):
        fitted = mcsl.MCSL("additive").fit(data)
        assert fitted.result_.graph == mcsl.learn(frame, "additive").graph
        assert fitted.result_.graph.names == tuple(frame.columns)


@pytest.mark.parametrize("lags", ["1", 1.5, -1, None])
def test_lags_that_are_no_whole_number_are_refused(frame, lags):
    with pytest.raises(mcsl.SettingsError, match="`lags` must be a whole number"):
        mcsl.MCSL("additive", lags=lags).fit(frame)

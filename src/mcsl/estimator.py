"""The scikit-learn face of `learn`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_into_dataframe
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import validate_data

from mcsl.data import Dataset
from mcsl.data.checks import UNKNOWN, check_kinds, check_names
from mcsl.data.sources import raw_table
from mcsl.errors import DataError
from mcsl.learning import learn
from mcsl.missing import MissingRule
from mcsl.problem import Knowledge
from mcsl.recipe import Recipe
from mcsl.result import Result

if TYPE_CHECKING:
    import networkx as nx


class MCSL(BaseEstimator):  # type: ignore[misc]
    """Learn the causal graph behind a table, as a scikit-learn estimator.

    Parameters
    ----------
    recipe : "default", "additive", "masked", "paper" or Recipe
        How the graph is found.
    knowledge : Knowledge or None
        Edges, tiers, roots and leaves that are known beforehand, by the names of the variables.
    groups : mapping or None
        Variables with several columns, such as {"site": ["site.x", "site.y"]}.
    lags : int
        With p > 0 the rows are one time series, and an edge may act up to p steps later. Rows are sorted by
        dates in the index of a pandas frame, and are in order of time otherwise.
    missing : "refuse", "drop", "impute" or "mask"
        What to do about missing values.
    random_state : int, RandomState or None
        An integer is the seed of `learn`, and the same seed gives the same graph. A RandomState or None,
        which stands for NumPy's, draws the seed.

    Attributes
    ----------
    adjacency_matrix_ : pandas.DataFrame, or an array where pandas is not installed
        1 where the row causes the column, 0 elsewhere.
    edge_probabilities_ : pandas.DataFrame or array
        The probability of every edge, row causes column, before pruning.
    causal_graph_ : networkx.DiGraph
    causal_order_ : list of str
        The variables, causes before effects.
    result_ : Result
        Everything else that was found.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns; only where `X` has them, as text. The graph names numbered columns by their
        numbers, and those of an array x1, x2, ....
    """

    def __init__(
        self,
        recipe: str | Recipe = "default",
        *,
        knowledge: Knowledge | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        lags: int = 0,
        missing: MissingRule = "refuse",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.recipe = recipe
        self.knowledge = knowledge
        self.groups = groups
        self.lags = lags
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> MCSL:  # noqa: N803
        """Learn from a table with a row per sample; `y` is not used."""
        is_frame = is_into_dataframe(X)
        # scikit-learn would read numbers out of text and categories.
        names = _checked_names(X) if is_frame else ()
        values = validate_data(
            self,
            X,
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2,
            ensure_min_features=2,
        )
        names = names or tuple(f"x{i + 1}" for i in range(values.shape[1]))
        gappy = [name for name, column in zip(names, values.T, strict=True) if np.isnan(column).any()]
        if gappy and not self._allows_nan():
            raise DataError(
                f"The column {gappy[0]!r} has missing values (NaN); choose "
                '`missing="drop"`, "impute" or "mask".'
            )
        self.result_: Result = learn(
            X if is_frame else Dataset(values, names),
            self.recipe,
            groups=self.groups,
            lags=self.lags,
            knowledge=self.knowledge,
            missing=self.missing,
            seed=self._seed(),
        )
        graph = self.result_.graph
        self.adjacency_matrix_ = _labelled(graph.adjacency.astype(int), graph.names)
        self.edge_probabilities_ = _labelled(self.result_.edge_probabilities, graph.names)
        self.causal_graph_: nx.DiGraph = graph.to_networkx()
        self.causal_order_ = list(graph.order)
        return self

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _allows_nan(self) -> bool:
        return self.missing != "refuse" or self.lags != 0

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        return tags

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._drawing()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += self._drawing()
        return bundle

    def _drawing(self) -> str:
        """Return the learned graph as HTML: a picture, or a list of edges where matplotlib is missing."""
        if not hasattr(self, "result_"):
            return ""
        if find_spec("matplotlib"):
            from mcsl.outputs.plots import graph_svg

            return f'<div style="overflow:auto;background:white">{graph_svg(self.result_)}</div>'
        edges = (f"<li>{escape(cause)} → {escape(effect)}</li>" for cause, effect in self.result_.graph.edges)
        return f"<ul>{''.join(edges)}</ul>"


def _checked_names(frame: Any) -> tuple[str, ...]:
    """Return the names of a frame's columns, or refuse what `learn` refuses of them."""
    columns = raw_table(frame).columns
    names = [column.name for column in columns]
    check_names(names, names, UNKNOWN)
    check_kinds(columns, UNKNOWN)
    return tuple(map(str, nw.from_native(frame).columns))


def _labelled(matrix: NDArray[Any], names: Sequence[str]) -> Any:
    if not find_spec("pandas"):
        return matrix
    import pandas as pd

    return pd.DataFrame(matrix, index=list(names), columns=list(names))

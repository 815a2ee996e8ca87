"""Prior knowledge: edges that must or must not be, and which variables come first or last."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcsl.data.sources import read_bytes
from mcsl.errors import KnowledgeError
from mcsl.graph.causal_graph import find_cycle
from mcsl.graph.labels import read_matrix
from mcsl.problem.keys import once_each

if TYPE_CHECKING:
    import networkx as nx

Edge = tuple[str, str]


@dataclass(frozen=True)
class Knowledge:
    """What is known about the graph before the data speak, by the names of the variables.

    It holds in every graph that is learned. What contradicts itself is refused here, and what does not
    fit the variables of a table when it meets them.
    """

    required: tuple[Edge, ...] = ()
    """(cause, effect) pairs that every learned graph has."""
    forbidden: tuple[Edge, ...] = ()
    """(cause, effect) pairs that no learned graph has."""
    tiers: tuple[tuple[str, ...], ...] = ()
    """Earlier tiers first: no edge runs from a later tier to an earlier one. Inside a tier, and
    of variables in no tier, nothing is said."""
    roots: tuple[str, ...] = ()
    """Variables without causes."""
    leaves: tuple[str, ...] = ()
    """Variables without effects."""

    def __post_init__(self) -> None:
        for part in ("required", "forbidden"):
            edges = tuple(_edge(part, pair) for pair in _items(part, getattr(self, part)))
            object.__setattr__(self, part, edges)
        for part in ("roots", "leaves"):
            object.__setattr__(self, part, _names(part, getattr(self, part)))
        tiers = tuple(_names("tiers", tier) for tier in _items("tiers", self.tiers))
        object.__setattr__(self, "tiers", tiers)
        self._check()

    @classmethod
    def of(cls, given: Knowledge | None) -> Knowledge:
        """Return prior knowledge as it is, or none for None."""
        if given is None:
            return cls()
        if not isinstance(given, Knowledge):
            raise KnowledgeError(
                "`knowledge` must be a Knowledge, which `Knowledge.from_dict` makes of a dict and "
                f"`read_knowledge` of a file. Got {type(given).__name__} instead."
            )
        return given

    @classmethod
    def from_networkx(
        cls, required: nx.DiGraph | None = None, forbidden: nx.DiGraph | None = None
    ) -> Knowledge:
        """Require the edges of one directed networkx graph and forbid those of another."""
        for part, graph in (("required", required), ("forbidden", forbidden)):
            if graph is not None and not (hasattr(graph, "is_directed") and graph.is_directed()):
                raise KnowledgeError(
                    f"`{part}` must be a directed networkx graph, whose edges run from cause to effect. "
                    f"Got {type(graph).__name__} instead."
                )
        pairs = [
            tuple((str(cause), str(effect)) for cause, effect in graph.edges()) if graph is not None else ()
            for graph in (required, forbidden)
        ]
        return cls(required=pairs[0], forbidden=pairs[1])

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, names: Sequence[str] | None = None) -> Knowledge:
        """Read a partial graph: 1 for a required edge, 0 for a forbidden one, -1 or NaN for an open one.

        Rows cause columns, and of the diagonal only a 1 is read, which is refused. The names of a labelled
        frame are its own, and its rows may come in another order than its columns.
        """
        values, labels = read_matrix(matrix)
        names = labels if names is None else [str(name) for name in names]
        if values.shape != (len(names), len(names)):
            raise KnowledgeError(
                f"{len(names)} names need a square matrix. Got shape {values.shape} instead."
            )
        values = values.astype(float)
        np.fill_diagonal(values, np.where(values.diagonal() == 1.0, 1.0, -1.0))
        odd = values[~(np.isin(values, (0.0, 1.0, -1.0)) | np.isnan(values))]
        if odd.size:
            raise KnowledgeError(
                f"A partial graph has 1 (required), 0 (forbidden), -1 or NaN (open). Got {odd[0]:g} instead."
            )
        required, forbidden = (
            tuple((names[j], names[i]) for j, i in np.argwhere(values == sign)) for sign in (1.0, 0.0)
        )
        return cls(required=required, forbidden=forbidden)

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any]) -> Knowledge:
        """Build from the fields by name, as `to_dict` returns them and files hold them."""
        known = [field.name for field in fields(cls)]
        if not isinstance(parts, Mapping) or any(part not in known for part in parts):
            got = ", ".join(map(str, parts)) if isinstance(parts, Mapping) else type(parts).__name__
            raise KnowledgeError(f"Prior knowledge has the parts {', '.join(known)}. Got {got} instead.")
        return cls(**{part: value or () for part, value in parts.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that say something, as lists."""
        listed = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            part: [item if isinstance(item, str) else list(item) for item in value]
            for part, value in listed.items()
            if value
        }

    def constraints(self, names: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return, for variables of these names, which edges may exist and which must, `[cause, effect]`."""
        place = {name: i for i, name in enumerate(names)}
        for name, where in self._mentioned():
            if name not in place:
                raise KnowledgeError(f"{where} names {name!r}, which is not among the variables.")
        tier_of = np.full(len(names), np.nan)
        for k, tier in enumerate(self.tiers):
            tier_of[[place[name] for name in tier]] = k
        # A comparison with NaN, the tier of none, is False.
        candidates = ~np.eye(len(names), dtype=bool) & ~(tier_of[:, None] > tier_of)
        candidates[:, [place[name] for name in self.roots]] = False
        candidates[[place[name] for name in self.leaves]] = False
        required = np.zeros_like(candidates)
        for matrix, edges, value in ((candidates, self.forbidden, False), (required, self.required, True)):
            for cause, effect in edges:
                matrix[place[cause], place[effect]] = value
        return candidates, required

    def _mentioned(self) -> Iterable[tuple[str, str]]:
        """Every name and the place where it stands."""
        for part in ("required", "forbidden"):
            for cause, effect in getattr(self, part):
                yield from ((name, f"The {part} edge {cause} -> {effect}") for name in (cause, effect))
        for part, named in (("tiers", sum(self.tiers, ())), ("roots", self.roots), ("leaves", self.leaves)):
            yield from ((name, f"`{part}`") for name in named)

    def _check(self) -> None:
        """Refuse what contradicts itself."""
        tier_of: dict[str, int] = {}
        for k, tier in enumerate(self.tiers):
            for name in tier:
                if tier_of.setdefault(name, k) != k:
                    raise KnowledgeError(f"{name!r} is in two tiers; keep it in one.")
        forbidden = set(self.forbidden)
        for cause, effect in self.required:
            reasons = {
                "it is forbidden too": (cause, effect) in forbidden,
                f"{effect!r} is a root": effect in self.roots,
                f"{cause!r} is a leaf": cause in self.leaves,
                f"{effect!r} is in an earlier tier than {cause!r}": tier_of.get(cause, -1)
                > tier_of.get(effect, len(self.tiers)),
                "nothing causes itself": cause == effect,
            }
            for reason, holds in reasons.items():
                if holds:
                    raise KnowledgeError(f"The edge {cause} -> {effect} is required, but {reason}; drop one.")
        names = list(dict.fromkeys(name for edge in self.required for name in edge))
        adjacency = np.zeros((len(names), len(names)), dtype=bool)
        for cause, effect in self.required:
            adjacency[names.index(cause), names.index(effect)] = True
        if cycle := find_cycle(adjacency):
            path = " -> ".join(names[i] for i in [*cycle, cycle[0]])
            raise KnowledgeError(f"The required edges close the cycle {path}; drop one of them.")


def read_knowledge(path: str | os.PathLike[str]) -> Knowledge:
    """Read prior knowledge from a JSON file, or from a YAML file if PyYAML is installed.

    Both hold the fields of `Knowledge` by name, and edges as pairs: `{"required": [["a", "b"]]}`.
    """
    path = Path(path)
    content = read_bytes(path)
    try:
        parse = _parse_yaml if path.suffix.lower() in (".yaml", ".yml") else _parse_json
        parts = parse(content, path)
    except KnowledgeError:
        raise
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).replace('in "<byte string>", ', "").split())
        raise KnowledgeError(
            f"{path} cannot be read as prior knowledge, in JSON or, with the ending .yaml, in YAML: {reason}."
        ) from None
    return Knowledge.from_dict({} if parts is None else parts)


def _parse_json(content: bytes, path: Path) -> Any:
    return json.loads(content, object_pairs_hook=lambda pairs: once_each(pairs, path, KnowledgeError))


def _parse_yaml(content: bytes, path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise KnowledgeError("Reading YAML needs PyYAML: `pip install '.[yaml]'`, or write JSON.") from None

    # The base loader makes strings, lists and maps alone: no code is run, and `no` stays a name.
    class Loader(yaml.BaseLoader):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            once_each(((key, None) for key in keys), path, KnowledgeError)
            found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
            return found

    try:
        return yaml.load(content, Loader=Loader)
    except yaml.YAMLError as error:
        raise ValueError(error) from None


def _edge(part: str, pair: Any) -> Edge:
    names = () if isinstance(pair, str) else _names(part, pair)
    if len(names) != 2:
        raise KnowledgeError(f"`{part}` holds (cause, effect) pairs of names. Got {pair!r} instead.")
    return names[0], names[1]


def _names(part: str, value: Any) -> tuple[str, ...]:
    names = _items(part, value)
    for name in names:
        if not isinstance(name, str):
            raise KnowledgeError(f"`{part}` holds names, which are text. Got {name!r} instead.")
    return names


def _items(part: str, value: Any) -> tuple[Any, ...]:
    # A string would be taken for a list of letters.
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise KnowledgeError(f"`{part}` must be a list. Got {value!r} instead.")
    return tuple(value)

"""Graphs as text that other tools read, and back; any name survives, or is refused where there is no way."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcsl.errors import GraphError

if TYPE_CHECKING:
    import networkx as nx

Edges = Sequence[tuple[str, str]]
Names = Sequence[str]

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def dot_text(names: Names, edges: Edges) -> str:
    """Return Graphviz's DOT, causes above effects."""
    lines = [*(_quoted(name) for name in names), *(f"{_quoted(a)} -> {_quoted(b)}" for a, b in edges)]
    return "digraph {\n" + "".join(f"  {line};\n" for line in lines) + "}\n"


def gml_text(names: Names, edges: Edges) -> str:
    """Return GML as DoWhy and networkx read it: names are labels."""
    place = {name: i for i, name in enumerate(names)}
    nodes = (f'  node [ id {i} label "{_gml_escaped(name)}" ]\n' for name, i in place.items())
    arrows = (f"  edge [ source {place[a]} target {place[b]} ]\n" for a, b in edges)
    return "graph [\n  directed 1\n" + "".join([*nodes, *arrows]) + "]\n"


def graphml_text(names: Names, edges: Edges) -> str:
    """Return GraphML, names as the nodes' ids."""
    for name in names:
        if _NOT_IN_XML.search(name):
            raise GraphError(
                f"The name {name!r} has a character that XML cannot hold; rename it for GraphML."
            )
    nodes = "".join(f'    <node id="{_xml_escaped(name)}"/>\n' for name in names)
    arrows = "".join(f'    <edge source="{_xml_escaped(a)}" target="{_xml_escaped(b)}"/>\n' for a, b in edges)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        f'  <graph edgedefault="directed">\n{nodes}{arrows}  </graph>\n</graphml>\n'
    )


def json_text(names: Names, edges: Edges) -> str:
    """Return {"variables": [...], "edges": [[cause, effect], ...]}."""
    return json.dumps({"variables": list(names), "edges": [list(edge) for edge in edges]}, indent=2) + "\n"


def parse_json(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return names and edges of what `json_text` wrote."""
    try:
        content = json.loads(text)
        names, edges = content["variables"], [(cause, effect) for cause, effect in content["edges"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        names, edges = None, []
    named = [*names, *(name for edge in edges for name in edge)] if isinstance(names, list) else [None]
    if not all(isinstance(name, str) for name in named):
        raise GraphError('A graph in JSON looks like {"variables": ["a", "b"], "edges": [["a", "b"]]}.')
    return names, edges


def parse_gml(text: str) -> nx.DiGraph:
    """Return the networkx graph of a GML text."""
    import networkx as nx

    try:
        return nx.parse_gml(text)
    except (nx.NetworkXError, ValueError, TypeError, KeyError, IndexError) as error:
        raise GraphError(f"The text is not GML: {' '.join(str(error).split())}.") from None


def parse_graphml(text: str) -> nx.DiGraph:
    """Return the networkx graph of a GraphML text; one that declares entities is refused."""
    from xml.etree.ElementTree import ParseError

    import networkx as nx

    # Entities can swell to any size or name files; no graph needs them.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise GraphError("The GraphML text declares a document type; remove the declaration.")
    try:
        return nx.parse_graphml(text.partition("?>")[2] if text.startswith("<?xml") else text)
    except (nx.NetworkXError, ParseError, ValueError, TypeError, KeyError, StopIteration) as error:
        raise GraphError(f"The text is not GraphML: {' '.join(str(error).split())}.") from None


def networkx_parts(graph: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """Return names and edges of a directed networkx graph."""
    if not hasattr(graph, "is_directed") or not graph.is_directed():
        raise GraphError(f"A directed networkx graph is needed. Got {type(graph).__name__} instead.")
    nodes = list(graph.nodes)
    names = [str(node) for node in nodes]
    label = dict(zip(nodes, names, strict=True))
    return names, [(label[a], label[b]) for a, b in graph.edges()]


def completed(adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the CPDAG of a DAG: edges whose direction the data alone cannot tell stand both ways.

    The skeleton keeps the arrows of v-structures, a -> c <- b without an edge between a and b, and Meek's
    rules spread them.
    """
    joined = adjacency | adjacency.T
    apart = ~joined & ~np.eye(len(adjacency), dtype=bool)
    fixed = np.zeros_like(adjacency)
    for effect in range(len(adjacency)):
        causes = np.flatnonzero(adjacency[:, effect])
        fixed[causes, effect] = apart[np.ix_(causes, causes)].any(axis=1)
    while True:
        both = joined & ~fixed & ~fixed.T
        arrows, apart_count = fixed.astype(int), apart.astype(int)
        # a -> b - c with a and c apart; a -> b -> c beside a - c.
        new = (both & (arrows.T @ apart_count > 0)) | (both & (arrows @ arrows > 0))
        # a - b, a - c, c -> b and a - d, d -> b with c and d apart.
        for a, b in np.argwhere(both & ~new):
            between = np.flatnonzero(both[a] & fixed[:, b])
            new[a, b] = apart[np.ix_(between, between)].any()
        new &= adjacency
        if not (new & ~fixed).any():
            return fixed | both
        fixed |= new


def _quoted(name: str) -> str:
    # Graphviz keeps a doubled backslash in the name and draws it as one.
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _gml_escaped(name: str) -> str:
    return re.sub(r'[^ -~]|[&"]', lambda match: f"&#{ord(match[0])};", name)


def _xml_escaped(name: str) -> str:
    return re.sub("[&<>\"'\t\n\r]", lambda match: f"&#{ord(match[0])};", name)

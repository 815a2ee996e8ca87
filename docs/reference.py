"""Write docs/reference.md, every public name with its signature and docstring: `python docs/reference.py`."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from textwrap import indent
from typing import Any, Literal, get_args, get_origin

import mcsl

PAGE = Path(__file__).with_name("reference.md")
SECTIONS = {
    "Learn": ["learn", "Result", "MCSL", "Interrupted"],
    "How far to trust it": ["Finding", "assess_stability", "Stability", "check_rescaling"],
    "Graphs": ["CausalGraph", "evaluate", "Metrics", "read_graph", "write_graph"],
    "What is known beforehand": ["Knowledge", "read_knowledge"],
    "Tables and series": ["read_table", "to_dataset", "Dataset", "to_series", "Problem", "fetch_sachs"],
    "The model on the graph": ["fit_sem", "FittedSEM", "sem.Effect", "sem.EffectCurve", "sem.HeldOutFit"],
    "Root causes": ["root_cause", "RootCauseResult", "diagnosis.Candidate"],
    "Pictures, reports and files": [
        "plot_graph",
        "write_graph_picture",
        "plot_adjacency",
        "plot_training",
        "plot_effects",
        "write_report",
        "load_result",
    ],
    "Recipes and their parts": ["Recipe", "OrderSearch", "Schedule", "StopReason", "TraceRow", "Restart"],
    "Mechanisms of networks": ["Mechanism", "MLP", "Quadratic", "Linear", "LocationScale"],
    "Scores": ["gaussian_likelihood", "location_scale_likelihood", "least_squares", "objective.Score"],
    "Pruning": [
        "AdditivePruner",
        "InteractionPruner",
        "QuadraticPruner",
        "KeepAll",
        "pruning.Pruner",
        "pruning.Pruned",
        "pruning.EdgeTest",
    ],
    "Simulation": [
        "simulate",
        "Simulation",
        "simulation.simulate_dag",
        "simulation.simulate_from",
        "simulate_series",
        "simulation.simulate_incident",
    ],
    "Errors": [
        "McslError",
        "DataError",
        "SettingsError",
        "KnowledgeError",
        "GraphError",
        "CyclicGraphError",
        "OutputError",
    ],
}
INTRODUCTION = (
    "Every public name, from the docstrings; `python docs/reference.py` writes this page. The other pages "
    "tell how to use them, and `mcsl COMMAND --help` describes the command line."
)
_WIDEST = 100


def reference() -> str:
    """Return the page."""
    contents = "\n".join(
        f"- **{title}**: " + ", ".join(f"[`{name}`](#{_anchor(name)})" for name in names)
        for title, names in SECTIONS.items()
    )
    parts = ["# Reference", INTRODUCTION, contents]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}")
        for name in names:
            parts += [f"### `mcsl.{name}`", *_describe(name)]
    parts += ["## Choices", "\n".join(_choices())]
    return "\n\n".join(parts) + "\n"


def _choices() -> Iterator[str]:
    """Tell what the names of choices on the page stand for."""
    found = {
        (alias, get_args(value))
        for names in SECTIONS.values()
        for name in names
        for alias, value in vars(sys.modules[getattr(_look_up(name), "__module__", "mcsl")]).items()
        if get_origin(value) is Literal and re.search(rf"\b{alias}\b", "\n".join(_describe(name)))
    }
    for alias, values in sorted(found):
        yield f"- `{alias}`: {', '.join(map(repr, values))}"


def _anchor(name: str) -> str:
    return f"mcsl{name}".replace(".", "").lower()


def _look_up(name: str) -> Any:
    *room, last = name.split(".")
    return getattr(sys.modules["mcsl." + ".".join(room)] if room else mcsl, last)


def _describe(name: str) -> Iterator[str]:
    thing = _look_up(name)
    if not hasattr(thing, "__name__"):
        body = _tree(type(thing)).body
        (place,) = (
            i for i, node in enumerate(body) if isinstance(node, ast.Assign) and _name_of(node) == name
        )
        yield _told(body[place + 1])
        return
    node = _source(thing)
    if isinstance(node, ast.FunctionDef):
        yield f"```py\n{_signature(node.name, node)}\n```"
        yield _text(node)
        return
    yield _text(node)
    members: dict[str, ast.stmt] = {}
    for base in thing.__mro__:
        if base.__module__.startswith("mcsl."):
            for member in _members(_source(base)):
                members.setdefault(_name_of(member), member)
    constructor = members.pop("__init__", None)
    if isinstance(constructor, ast.FunctionDef):
        yield f"```py\n{_signature(thing.__name__, constructor)}\n```"
    if members:
        texts = _texts_below(_source(thing).body)
        yield "\n".join(_listed(member, texts) for member in members.values())


def _source(thing: Any) -> Any:
    """Return the syntax tree of a function or a class."""
    return next(node for node in _tree(thing).body if getattr(node, "name", None) == thing.__name__)


def _tree(thing: Any) -> ast.Module:
    """Return the syntax tree of the module of a thing, with constants in place of their names as defaults."""
    module = sys.modules[thing.__module__]
    tree = ast.parse(inspect.getsource(module))

    def plain(default: Any) -> Any:
        is_constant = isinstance(default, ast.Name) and default.id.isupper()
        return ast.Constant(getattr(module, default.id)) if is_constant else default

    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            node.defaults = [plain(default) for default in node.defaults]
            node.kw_defaults = [plain(default) for default in node.kw_defaults]
    return tree


def _told(node: ast.stmt | None) -> str:
    """Return the text that stands below a field, if there is any."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return inspect.cleandoc(str(node.value.value))
    return ""


def _members(node: ast.ClassDef) -> Iterator[ast.stmt]:
    for member in node.body:
        if isinstance(member, ast.AnnAssign | ast.Assign | ast.FunctionDef):
            name = _name_of(member)
            has_text = not isinstance(member, ast.FunctionDef) or ast.get_docstring(member)
            if name == "__init__" or (not name.startswith("_") and has_text):
                yield member


def _name_of(member: ast.stmt) -> str:
    if isinstance(member, ast.FunctionDef):
        return member.name
    target = member.targets[0] if isinstance(member, ast.Assign) else member.target  # type: ignore[attr-defined]
    return ast.unparse(target)


def _texts_below(body: list[ast.stmt]) -> dict[str, str]:
    """Return what is told of each field in the text below it."""
    fields = ((node, below) for node, below in pairwise(body) if isinstance(node, ast.AnnAssign | ast.Assign))
    return {_name_of(node): _told(below) for node, below in fields}


def _listed(member: ast.stmt, texts: Mapping[str, str]) -> str:
    """Return a field, a property or a method as an item of a list."""
    if isinstance(member, ast.FunctionDef):
        shown, text = _signature(f".{member.name}", member, widest=None), _text(member)
        if any("property" in ast.unparse(mark) for mark in member.decorator_list):
            shown = shown.replace("()", "", 1)
    else:
        value = member.value  # type: ignore[attr-defined]
        kind = f": {ast.unparse(member.annotation)}" if isinstance(member, ast.AnnAssign) else ""
        is_plain = value is not None and "field(" not in ast.unparse(value)
        shown = f".{_name_of(member)}{kind}" + (f" = {ast.unparse(value)}" if is_plain else "")
        text = texts.get(_name_of(member), "")
    return f"- `{shown}`" + (": " + indent(text, "  ").lstrip() if text else "")


def _signature(name: str, node: ast.FunctionDef, widest: int | None = _WIDEST) -> str:
    """Return the signature, on a line for each parameter if it is too wide."""
    arguments = [part for part in _parameters(node.args) if part.split(":")[0] not in ("self", "cls")]
    result = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    line = f"{name}({', '.join(arguments)}){result}"
    if widest is not None and len(line) > widest:
        line = f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){result}"
    return line


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    def written(argument: ast.arg, default: ast.expr | None) -> str:
        shown = ast.unparse(argument)
        return f"{shown} = {ast.unparse(default)}" if default else shown

    first = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(first) - len(arguments.defaults)) + arguments.defaults
    yield from map(written, first, defaults)
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    yield from map(written, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _text(node: Any) -> str:
    """Return the docstring; parameters and attributes in NumPy's form become lists."""
    text = ast.get_docstring(node) or ""
    text = re.sub(r"^(\w+)\n-+\n", r"**\1**\n\n", text, flags=re.MULTILINE)
    listed = re.sub(r"^(\w+) : (.*)\n((?:    .*\n?)*)", _entry, text, flags=re.MULTILINE)
    return listed.rstrip()


def _entry(found: re.Match[str]) -> str:
    text = " ".join(found[3].split())
    return f"- `{found[1]}`, {found[2]}{': ' if text else ''}{text}\n" + (
        "\n" if found[3].endswith("\n\n") else ""
    )


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")

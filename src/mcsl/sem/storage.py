"""A fitted model as plain values and arrays, and back; whatever comes back is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcsl.graph import CausalGraph
from mcsl.problem import Variable
from mcsl.scales import Curve, InverseSinh, Logarithm, LogOdds
from mcsl.sem.features import Features, KernelFeatures, SplineFeatures
from mcsl.sem.fitted import FittedSEM
from mcsl.sem.mechanism import Mechanism
from mcsl.sem.scale import Scale

Arrays = dict[str, NDArray[Any]]

_CURVES: dict[str, Callable[..., Curve]] = {kind.name: kind for kind in (Logarithm, LogOdds, InverseSinh)}


def pack_sem(sem: FittedSEM) -> tuple[dict[str, Any], Arrays]:
    """Return what is needed to build the model again: a document for JSON, and arrays by name."""
    arrays: Arrays = {"sem/values": sem.values}
    if not sem.observed.all():
        arrays["sem/observed"] = sem.observed
    mechanisms = []
    for number, mechanism in enumerate(sem.mechanisms):
        place = f"sem/{number}"
        for name in ("coefficients", "shrinkage", "held_out_r2", "spread"):
            if (array := getattr(mechanism, name)) is not None:
                arrays[f"{place}/{name}"] = array
        features = []
        for count, feature in enumerate(mechanism.features):
            if isinstance(feature, SplineFeatures):
                features.append({"kind": "spline", "input": feature.input})
                parts = {
                    "knots": feature.knots,
                    "transform": feature.transform,
                    "penalties": feature.penalties,
                }
            else:
                features.append({"kind": "kernel", "length": feature.length})
                parts = {"points": feature.points, "whitener": feature.whitener}
            arrays |= {f"{place}/{count}/{name}": array for name, array in parts.items()}
        mechanisms.append({"inputs": mechanism.inputs, "outputs": mechanism.outputs, "features": features})
    document = {
        "columns": sem.columns,
        "variables": [asdict(variable) for variable in sem.variables],
        "scales": [_pack_scale(scale) for scale in sem.scales],
        "mechanisms": mechanisms,
    }
    return document, {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def unpack_sem(
    document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], graph: CausalGraph
) -> FittedSEM:
    """Build a model from its parts; raises ValueError, TypeError or KeyError where they do not fit."""
    columns = tuple(str(name) for name in document["columns"])
    variables = tuple(
        Variable(str(part["name"]), _places(part["inputs"], columns), _places(part["outputs"], columns))
        for part in document["variables"]
    )
    _require(
        tuple(variable.name for variable in variables) == graph.names, "its variables are not the graph's"
    )
    values = _array(arrays, "sem/values", (None, len(columns)))
    scales = tuple(_scale(part) for part in document["scales"])
    _require(len(scales) == len(columns), "a column has no scale")
    _require(
        all(scale.deviation > 0 and np.isfinite(scale.centre) for scale in scales), "a scale is not finite"
    )
    mechanisms = tuple(
        _mechanism(part, f"sem/{number}", arrays, columns)
        for number, part in enumerate(document["mechanisms"])
    )
    owned = [column for mechanism in mechanisms for column in mechanism.outputs]
    _require(len(mechanisms) == len(variables), "a variable has no mechanism")
    _require(len(set(owned)) == len(owned), "a column has two mechanisms")
    for mechanism, variable in zip(mechanisms, variables, strict=True):
        _require(
            mechanism.outputs == variable.outputs, "a mechanism predicts the columns of another variable"
        )
        causes = [variables[graph.names.index(name)] for name in graph.parents(variable.name)]
        allowed = {*variable.own_past, *(column for cause in causes for column in cause.inputs)}
        _require(set(mechanism.inputs) <= allowed, "a mechanism reads what is no cause")
    observed = arrays.get("sem/observed", np.array(True))
    _require(observed.dtype == bool and observed.shape in ((), values.shape), "it mistakes what was measured")
    return FittedSEM(graph, variables, columns, values, scales, mechanisms, observed=observed)


def _pack_scale(scale: Scale) -> dict[str, Any]:
    kind = {} if scale.curve is None else {"kind": scale.curve.name, **asdict(scale.curve)}
    return {"centre": scale.centre, "deviation": scale.deviation, **kind}


def _scale(part: Mapping[str, Any]) -> Scale:
    numbers = {name: float(value) for name, value in part.items() if name != "kind"}
    centre, deviation = numbers.pop("centre"), numbers.pop("deviation")
    # Format 1 has a sign for every column, which is 0 where there is no logarithm.
    kind = part.get("kind", Logarithm.name if numbers.get("sign") else None)
    if kind is None:
        return Scale(centre, deviation)
    span = numbers.get("upper", np.inf) - numbers.get("lower", 0.0)
    rises = 0 < numbers.get("nearest", 1.0) < span and numbers.get("width", 1.0) > 0
    _require(rises and bool(np.isfinite([*numbers.values()]).all()), "a scale does not rise")
    return Scale(centre, deviation, _CURVES[kind](**numbers))


def _mechanism(
    part: Mapping[str, Any], place: str, arrays: Mapping[str, NDArray[Any]], columns: tuple[str, ...]
) -> Mechanism:
    inputs, outputs = _places(part["inputs"], columns), _places(part["outputs"], columns)
    features = tuple(
        _feature(feature, f"{place}/{count}", arrays, len(inputs))
        for count, feature in enumerate(part["features"])
    )
    size = 1 + sum(feature.n_functions for feature in features)
    spread_size = 1 + sum(f.n_functions for f in features if isinstance(f, SplineFeatures))
    has_spread = f"{place}/spread" in arrays
    return Mechanism(
        inputs=inputs,
        outputs=outputs,
        features=features,
        coefficients=_array(arrays, f"{place}/coefficients", (size, len(outputs))),
        shrinkage=_array(arrays, f"{place}/shrinkage", (size,)),
        spread=_array(arrays, f"{place}/spread", (spread_size, len(outputs))) if has_spread else None,
        held_out_r2=_array(arrays, f"{place}/held_out_r2", (None, len(outputs))),
    )


def _feature(
    part: Mapping[str, Any], place: str, arrays: Mapping[str, NDArray[Any]], n_inputs: int
) -> Features:
    if part["kind"] == "spline":
        index = int(part["input"])
        _require(0 <= index < n_inputs, "a spline reads an input that is not there")
        knots = _array(arrays, f"{place}/knots", (None,))
        penalties = _array(arrays, f"{place}/penalties", (None,))
        transform = _array(arrays, f"{place}/transform", (len(knots) + 2, len(penalties)))
        return SplineFeatures(index, knots, transform, penalties)
    _require(part["kind"] == "kernel", "it has functions of an unknown kind")
    points = _array(arrays, f"{place}/points", (None, n_inputs))
    length = float(part["length"])
    _require(0 < length < np.inf, "a kernel has no length")
    return KernelFeatures(points, _array(arrays, f"{place}/whitener", (len(points), len(points))), length)


def _array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int | None, ...]
) -> NDArray[np.float64]:
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=False)
    )
    _require(fits and array.dtype == np.float64, f"the array {name} has another shape or type than it should")
    _require(bool(np.isfinite(array).all()), f"the array {name} has values that are not finite")
    return array


def _places(numbers: Any, columns: tuple[str, ...]) -> tuple[int, ...]:
    places = tuple(int(number) for number in numbers)
    _require(all(0 <= place < len(columns) for place in places), "it names a column that is not there")
    return places


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise ValueError(complaint)

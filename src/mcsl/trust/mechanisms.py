"""Checks of the fitted mechanisms: how well they predict, and what they leave over as noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, fdtrc

from mcsl.order.discrete import form_of
from mcsl.problem import Problem, in_time
from mcsl.sem import FittedSEM
from mcsl.sem.features import SplineFeatures
from mcsl.trust.finding import Finding, some_of
from mcsl.trust.independence import hsic_test, normality_test

_MOST_ROWS = 400
"""Rows that a test of independence reads; its cost grows with their square."""
_SIGNIFICANCE = 0.01
_COMPUTED = 0.999
"""What others explain to this share was hardly measured."""
_AS_GOOD = 1.02
"""A straight line whose squared error is at most so many times a mechanism's is as good."""
_CURVED = 0.001
"""Below this p-value of an F-test, a curve is no accident."""
_BENDS = 12
"""Functions that bend a spline."""
_ALIKE = 4.0
"""Noise variances within this factor may be equal: what a mechanism cannot explain is counted as noise."""


def check_mechanisms(sem: FittedSEM) -> list[Finding]:
    """Check what every mechanism explains, and whether its noise is what the model assumes."""
    checks = (_prediction, _independence, _direction, _levels, _scales)
    return [finding for check in checks if (finding := check(sem))]


def _scales(sem: FittedSEM) -> Finding | None:
    """Name the columns that are not modelled in their own units, if there are any."""
    curves = zip(sem.columns, (scale.curve for scale in sem.scales), strict=True)
    bent = [f"{name} ({curve.name})" for name, curve in curves if curve is not None]
    return (
        Finding("scales", "good", f"Noise adds up on another scale of {some_of(bent)}.", "") if bent else None
    )


def _of_few_values(sem: FittedSEM) -> set[str]:
    """Return the variables that are yes or no, grades or small counts: noise does not add up to these."""
    return {
        name
        for name, variable in zip(sem.graph.names, sem.variables, strict=True)
        if all(form_of(sem.values[:, column]) == "ordinal" for column in variable.outputs)
    }


def _levels(sem: FittedSEM) -> Finding | None:
    """Name the variables of few values that an arrow starts from or ends at, if there are any."""
    touched = {name for edge in sem.graph.edges for name in edge}
    few = [name for name in sem.graph.names if name in touched & _of_few_values(sem)]
    if not few:
        return None
    return Finding(
        "levels",
        "caution",
        f"{some_of(few)} {'takes few values, or counts' if len(few) == 1 else 'take few values, or count'} "
        "in few steps, which tells little of directions.",
        "Take the arrows from and to such variables as joined but not directed; if you know a direction, "
        "state it as prior knowledge.",
    )


def _prediction(sem: FittedSEM) -> Finding:
    fits = sem.held_out
    figures = {fit.variable: fit.r2 for fit in fits}
    useless = [fit.variable for fit in fits if fit.r2 <= 0]
    causes = "Causes and own past" if in_time(sem.variables) else "Causes"
    share = max(np.median(list(figures.values())), 0.0)
    middle = f"{causes} explain {share:.0%} of a variable (median, on rows left out)"
    computed = [fit.variable for fit in fits if fit.r2 > _COMPUTED]
    if computed and not in_time(sem.variables):
        but = f", but nothing of {some_of(useless)}" if useless else ""
        together = [f"{name} by {' and '.join(sem.graph.parents(name))}" for name in computed]
        return Finding(
            "prediction",
            "caution",
            f"{middle}{but}, and all of {some_of(together)}: columns that determine each other.",
            "One of them was computed from the others, as a total is from its parts; leave that one out.",
            figures,
        )
    if useless:
        return Finding(
            "prediction",
            "caution",
            f"{middle}, but nothing of {some_of(useless)}.",
            f"Doubt the edges into {some_of(useless)}.",
            figures,
        )
    return Finding("prediction", "good", f"{middle}.", "", figures)


def _independence(sem: FittedSEM) -> Finding | None:
    """Test for every variable of many values that its noise is independent of its causes."""
    p_values, few = {}, _of_few_values(sem)
    for index, (name, mechanism) in enumerate(zip(sem.graph.names, sem.mechanisms, strict=True)):
        if sem.graph.parents(name) and name not in few:
            inputs, outputs = sem.seen_by(index, most=_MOST_ROWS)
            p_values[name] = hsic_test(inputs, mechanism.noise(inputs, outputs))
    dependent = [name for name, p in p_values.items() if p < _SIGNIFICANCE / len(p_values)]
    if not p_values:
        return None
    if not dependent:
        return Finding(
            "independence",
            "good",
            "As assumed, no variable's noise depends on its causes.",
            "",
            p_values,
        )
    return Finding(
        "independence",
        "bad" if 2 * len(dependent) > len(p_values) else "caution",
        f"The noise of {some_of(dependent)} depends on {'its' if len(dependent) == 1 else 'their'} causes, "
        "against the model"
        f" (p = {min(p_values.values()):.1g} at the least).",
        "A cause may be missing from the table, an arrow may point the other way, or the relation has "
        "another form: check the arrows into these variables first.",
        p_values,
    )


def _direction(sem: FittedSEM) -> Finding | None:
    """Find effects that are straight lines of their causes with normal noise: these fit both ways.

    A single line among curves does too, if its effect then has more causes. Of variables of few values on
    either side, `_levels` tells.
    """
    normal: dict[str, float] = {}
    for index, (name, mechanism) in enumerate(zip(sem.graph.names, sem.mechanisms, strict=True)):
        noise = mechanism.noise(*sem.seen_by(index))
        normal[name] = min(normality_test(column) for column in noise.T)
    few = _of_few_values(sem)
    judged = {name for cause, name in sem.graph.edges if not few & {cause, name}}
    figures = {name: p for name, p in normal.items() if name in judged}
    if not figures:
        return None
    open_ended = [
        name
        for name, p in figures.items()
        # With a cause whose own noise is not normal, straight lines fit one way only.
        if min(p, max(normal[cause] for cause in sem.graph.parents(name))) > _SIGNIFICANCE
        and _is_straight(sem, sem.graph.names.index(name))
    ]
    lines = [
        f"{cause} → {name}"
        for name, p in figures.items()
        if name not in open_ended and p > _SIGNIFICANCE
        for cause in _straight_causes(sem, sem.graph.names.index(name))
        if normal[cause] > _SIGNIFICANCE and cause not in few
    ]
    if lines and not open_ended:
        return Finding(
            "direction",
            "caution",
            f"Among curves, {some_of(lines)} {'is a line' if len(lines) == 1 else 'are lines'} without a bend"
            " and with normal noise: that fewer arrows are needed this way is all that tells the direction.",
            "If you know the direction, state it as prior knowledge.",
            figures,
        )
    if not open_ended:
        return Finding(
            "direction",
            "good",
            "Curves or noise that is not normal tell the direction of the arrows into every "
            f"{'other ' if few else ''}variable.",
            "",
            figures,
        )
    return Finding(
        "direction",
        "bad" if 2 * len(open_ended) > len(figures) else "caution",
        f"{some_of(open_ended)} follow{'s' if len(open_ended) == 1 else ''} straight lines with normal noise,"
        " which fit as well the other way around"
        f"{f'; among curves, so may {some_of(lines)}' if lines else ''}.",
        "Take the arrows into these variables as joined but not directed; if you know a direction, state it "
        "as prior knowledge.",
        figures,
    )


def _straight_causes(sem: FittedSEM, index: int) -> list[str]:
    """Return the causes that a mechanism follows along straight lines, whatever it does with others."""
    mechanism, (inputs, outputs) = sem.mechanisms[index], sem.seen_by(index)
    if mechanism.spread is not None or in_time(sem.variables):
        return []
    noise = np.mean((outputs - mechanism.mean(inputs)) ** 2, axis=0)
    curved, start = set[int](), 1
    for feature in mechanism.features:
        # The first function of a spline is the straight line.
        bends, read = slice(None), set(mechanism.inputs)
        if isinstance(feature, SplineFeatures):
            bends, read = slice(1, None), {mechanism.inputs[feature.input]}
        stop = start + feature.n_functions
        bent = feature(inputs)[:, bends] @ mechanism.coefficients[start:stop][bends]
        # Noise bends all of them a little.
        if (np.sum(bent**2, axis=0) > chdtri(_BENDS, _CURVED) * noise).any():
            curved |= read
        start = stop
    causes = sem.graph.parents(sem.graph.names[index])
    columns = {name: {*sem.variables[sem.graph.names.index(name)].outputs} for name in causes}
    return [name for name in causes if not curved & columns[name]]


def _is_straight(sem: FittedSEM, index: int) -> bool:
    """Tell whether straight lines of causes at the same time are all that a mechanism has."""
    mechanism, (inputs, outputs) = sem.mechanisms[index], sem.seen_by(index)
    if mechanism.spread is not None:
        return False
    straight = _straight_error(inputs, outputs)
    if in_time(sem.variables):
        causes = (
            sem.variables[sem.graph.names.index(name)] for name in sem.graph.parents(sem.graph.names[index])
        )
        present = {column for cause in causes for column in cause.outputs}
        past = [k for k, column in enumerate(mechanism.inputs) if column not in present]
        if _straight_error(inputs[:, past], outputs) <= _AS_GOOD * straight:
            return False
    error = float(np.mean((outputs - mechanism.mean(inputs)) ** 2))
    if straight <= _AS_GOOD * error:
        return True
    # Few rows bend any curve a little.
    n_parameters, width = mechanism.n_parameters(inputs), outputs.shape[1]
    freedom, extra = (len(inputs) - n_parameters) * width, (n_parameters - 1 - inputs.shape[1]) * width
    if extra <= 0 or freedom <= 0:
        return True
    return bool(fdtrc(extra, freedom, (straight / error - 1) * freedom / extra) > _CURVED)


def _straight_error(inputs: NDArray[np.float64], outputs: NDArray[np.float64]) -> float:
    design = np.column_stack([np.ones(len(inputs)), inputs])
    return float(np.mean((outputs - design @ np.linalg.lstsq(design, outputs, rcond=None)[0]) ** 2))


def check_variances(sem: FittedSEM, problem: Problem, standardized: bool) -> Finding:
    """Compare what is left of every variable's variance, which least squares takes to be the same for all."""
    columns = np.nanvar(problem.dataset.values, axis=0)
    # A root of a series has its own past to be explained by.
    unexplained = {
        name: 1 - float(mechanism.held_out_r2.mean())
        for name, mechanism in zip(sem.graph.names, sem.mechanisms, strict=True)
        if mechanism.inputs and len(mechanism.held_out_r2)
    }
    figures = {
        name: unexplained.get(name, 1.0)
        * (1.0 if standardized else float(columns[list(variable.outputs)].mean()))
        for name, variable in zip(problem.names, problem.variables, strict=True)
    }
    low, high = min(figures, key=figures.__getitem__), max(figures, key=figures.__getitem__)
    ratio = figures[high] / max(figures[low], 1e-300)
    factor = f"a factor of {ratio:,.1f}" if ratio < 1e6 else "a factor of more than a million"
    between = f"{factor} between {low} and {high}"
    if ratio <= _ALIKE:
        return Finding("variances", "good", f"Noise variances are alike, as assumed: {between}.", "", figures)
    return Finding(
        "variances",
        "bad",
        f"Least squares assumes one noise variance, and there is {between}.",
        "Learn again by the default recipe, which lets every variable have its own.",
        figures,
    )

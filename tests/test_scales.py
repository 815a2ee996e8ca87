import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsl.scales import InverseSinh, Logarithm, LogOdds, logarithms_of, rarer_scales_of

CURVES = [
    Logarithm(1.0, -1.5, 0.5),
    Logarithm(-1.0, 2.0, 0.01),
    LogOdds(-2.0, 3.0, 0.25),
    LogOdds(-1.001, 1.001, 1e-3),
    InverseSinh(0.3, 0.1),
]


@pytest.mark.parametrize("curve", CURVES)
@given(x=st.floats(-50, 50))
def test_what_is_bent_is_bent_back_and_the_bounds_stand_for_what_lies_beyond(curve, x):
    nearest = np.clip(x, *curve.bounds)
    assert curve.backward(curve.forward(np.array([x])))[0] == pytest.approx(nearest, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("curve", CURVES)
def test_curves_rise(curve):
    low, high = np.clip([-8, 8], *curve.bounds)
    assert (np.diff(curve.forward(np.linspace(low, high, 20_001))) > 0).all()


@pytest.mark.parametrize("curve", CURVES)
@given(t=st.floats(-1e4, 1e4))
def test_nothing_is_bent_back_beyond_the_bounds(curve, t):
    x = curve.backward(np.array([t]))[0]
    assert curve.bounds[0] <= x <= curve.bounds[1]


def test_another_unit_moves_the_bounds():
    for curve in (CURVES[0], CURVES[1], CURVES[2]):
        assert curve.in_units(300.0, 20.0).bounds == pytest.approx(300 + 20 * np.array(curve.bounds))


@pytest.mark.parametrize(
    ("curve", "edge"),
    [(CURVES[0], -1.0), (CURVES[1], 1.99), (CURVES[2], -1.75), (CURVES[2], 2.75), (CURVES[3], -1.0)],
)
def test_tangents_begin_without_a_kink(curve, edge):
    before, at, after = curve.forward(edge + np.array([-1e-7, 0, 1e-7]))
    assert after - at == pytest.approx(at - before, rel=1e-3)


@pytest.mark.parametrize("curve", CURVES)
def test_slopes_are_derivatives(curve):
    x = np.linspace(-0.7, 0.7, 15)
    numerical = (curve.forward(x + 1e-6) - curve.forward(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(np.exp(curve.log_slope(x)), numerical, rtol=1e-6)


@pytest.mark.parametrize("curve", CURVES)
def test_another_unit_adds_a_constant_at_most(curve):
    x = np.linspace(-0.9, 0.9, 7)
    shifts = curve.in_units(300.0, 20.0).forward(300 + 20 * x) - curve.forward(x)
    np.testing.assert_allclose(shifts, shifts[0], atol=1e-9)


def test_tails_tell_which_scales_are_tried():
    rng = np.random.default_rng(0)
    kinds = {LogOdds: rng.uniform(size=500), InverseSinh: rng.standard_t(3, size=500)}
    for kind, column in kinds.items():
        standardized = (column - column.mean()) / column.std()
        assert {type(curve) for curve in rarer_scales_of(standardized)} == {kind}


@pytest.mark.parametrize("cut", [1.0, 1.8])
def test_point_masses_at_the_ends_have_no_log_odds(cut):
    column = np.clip(np.random.default_rng(1).standard_normal(500), -cut, cut)
    assert rarer_scales_of((column - column.mean()) / column.std()) == []


def test_the_farthest_values_are_finite():
    for curve in (*CURVES, InverseSinh(0.0, 1e6), Logarithm(1.0, 0.0, 1e6)):
        assert np.isfinite(curve.backward(np.array([-1e4, 1e4]))).all()


def test_a_constant_column_has_no_scales():
    assert logarithms_of(np.zeros(10)) == []
    assert rarer_scales_of(np.zeros(10)) == []

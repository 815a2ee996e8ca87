"""Agreement with R's mgcv on a stored data set; tests/reference/README.md says how it was made."""

import json
from pathlib import Path

import numpy as np
import pytest

from mcsl.pruning.significance import wood_test
from mcsl.pruning.smoothing import fit_smooth
from mcsl.pruning.splines import SplineTable

REFERENCE = Path(__file__).parents[1] / "reference"
CASES = json.loads((REFERENCE / "oracle_mgcv.json").read_text())["cases"]


@pytest.mark.parametrize("n_basis", [10, 5])
def test_gcv_score_effective_freedom_and_p_values_equal_mgcv(n_basis):
    oracle = next(c for c in CASES if (c["bs"], c["k"], c["method"]) == ("tp", n_basis, "GCV.Cp"))
    values = np.loadtxt(REFERENCE / "oracle_data.csv", delimiter=",", skiprows=1)
    table = SplineTable.of(values, n_basis=n_basis, max_knots=len(values))
    used = table.functions(range(1, 6))
    terms = [slice(s.start - used[0], s.stop - used[0]) for s in table.slices[1:]]
    fit = fit_smooth(
        table.gram[np.ix_(used, used)],
        table.moments[used, 0],
        table.scatter[0, 0],
        table.penalties[used],
        terms,
        table.n_samples,
    )
    assert fit.gcv * values[:, 0].var() == pytest.approx(oracle["gcv"], abs=1e-6)
    freedom = [fit.freedom[term].sum() for term in terms]
    np.testing.assert_allclose(freedom, oracle["edf"], atol=2e-3)
    p_values = [wood_test(fit, term) for term in terms]
    np.testing.assert_allclose(p_values, oracle["p"], rtol=1e-2, atol=3e-5)

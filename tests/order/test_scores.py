import numpy as np
import pytest

import mcsl
from mcsl.order import spline_table
from mcsl.order.regressors import Family, Models, Regressors
from mcsl.order.scores import GaussianScore, best_fit, gaussian_log_likelihood
from mcsl.problem import Problem


def random_regression(n: int = 60, p: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    z = rng.standard_normal((n, p)) @ rng.standard_normal((p, p))
    return z, z @ rng.standard_normal(p) + rng.standard_normal(n)


def fit(z: np.ndarray, y: np.ndarray, models: list[Models], worth):
    return best_fit(models, float(y @ y), len(y), lambda f: (z[:, f].T @ z[:, f], z[:, f].T @ y), worth)


@pytest.mark.parametrize("size", [0, 1, 3, 8])
def test_one_factor_gives_the_squares_of_all_nested_models(size):
    z, y = random_regression()
    models = [Models(np.array([5, 1, 7, 0, 2, 3, 6, 4]), (0, 1, 3, 8))]
    found = fit(z, y, models, lambda square, n_functions: -abs(n_functions - size))
    columns = z[:, models[0].functions[:size]]
    left = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    assert np.array_equal(found.functions, models[0].functions[:size])
    assert found.square == pytest.approx(left @ left)


def test_models_need_four_rows_for_each_function_but_for_the_smallest():
    z, y = random_regression(n=16)
    richest = lambda square, n_functions: n_functions  # noqa: E731
    every = np.arange(8)
    assert len(fit(z, y, [Models(every, (2, 4, 5)), Models(every, (3, 8))], richest).functions) == 4
    assert len(fit(z, y, [Models(every, (6, 8)), Models(every, (7, 8))], richest).functions) == 6


def score_of(effect: np.ndarray, *causes: np.ndarray) -> tuple[float, GaussianScore]:
    values = np.column_stack([*causes, effect])
    problem = Problem.from_dataset(mcsl.Dataset(values, tuple(f"x{i}" for i in range(values.shape[1]))))
    family = Family([len(causes)], range(len(causes)))
    score = GaussianScore(problem, Regressors.of(spline_table(problem), [family], interactions=True))
    return score(len(causes), frozenset(range(len(causes)))), score


def test_an_effect_takes_as_many_functions_as_it_needs():
    rng = np.random.default_rng(3)
    a, b, noise = rng.uniform(-2, 2, (3, 1000))
    sizes = {}
    for name, effect in {"line": a + b, "waves": np.sin(4 * a) + b, "product": a * b}.items():
        _, score = score_of(effect + 0.3 * noise, a, b)
        sizes[name] = len(score._best(2, score.regressors.models([0, 1])).functions)
    assert sizes["line"] == 6
    assert 6 < sizes["product"] < 18 <= sizes["waves"]


def test_the_best_model_counts():
    rng = np.random.default_rng(4)
    a, b, noise = rng.standard_normal((3, 500))
    found, score = score_of(a * b + noise, a, b)
    column = score.regressors.table.values[:, 2]
    worths = []
    for models in score.regressors.models([0, 1]):
        for end in models.ends:
            z = score.regressors.design(models.functions[:end])
            left = column - z @ np.linalg.lstsq(z, column, rcond=None)[0]
            worths.append(gaussian_log_likelihood(float(left @ left), 500) - end)
    assert found == pytest.approx(max(worths))

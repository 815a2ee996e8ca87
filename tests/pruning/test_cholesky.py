"""Cholesky factors that do not hold up other threads."""

import threading
import time

import numpy as np
import pytest

from mcsl.pruning.cholesky import Array, factorise, invert, log_determinant, solve


def positive_definite(size: int) -> Array:
    values = np.random.default_rng(size).normal(size=(size, size + 5))
    return (values @ values.T / size + np.eye(size)).astype(np.float32)


@pytest.fixture
def matrix() -> Array:
    return positive_definite(60)


def test_factor_and_determinant(matrix: Array) -> None:
    factor = matrix.copy()
    factorise(factor)
    upper = np.triu(factor)
    np.testing.assert_allclose(upper.T @ upper, matrix, atol=1e-5)
    assert log_determinant(factor) == pytest.approx(np.linalg.slogdet(matrix.astype(float))[1], rel=1e-5)


@pytest.mark.parametrize("size", [1, 96, 97, 250])
def test_inverse(size: int) -> None:
    matrix = positive_definite(size)
    inverse = matrix.copy()
    factorise(inverse)
    invert(inverse)
    np.testing.assert_allclose(np.triu(inverse), np.triu(np.linalg.inv(matrix.astype(float))), atol=1e-5)
    np.testing.assert_array_equal(np.tril(inverse, -1), np.tril(matrix, -1))


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("size", [60, 25])
def test_solutions_with_the_first_part_of_a_factor(matrix: Array, size: int, width: int) -> None:
    factor = matrix.copy()
    factorise(factor)
    right = np.random.default_rng(0).normal(size=(size, width)).astype(np.float32)
    before = right.copy()
    solved = solve(factor[:size, :size], right)
    np.testing.assert_allclose(solved, np.linalg.solve(matrix[:size, :size].astype(float), right), atol=1e-5)
    np.testing.assert_array_equal(right, before)


def test_a_matrix_that_is_not_positive_definite_is_refused() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        factorise(-np.eye(4, dtype=np.float32))


def test_other_threads_go_on_meanwhile() -> None:
    matrix, took, done = positive_definite(3000), [], threading.Event()

    def work() -> None:
        began = time.perf_counter()
        factorise(matrix)
        took.append(time.perf_counter() - began)
        done.set()

    thread = threading.Thread(target=work)
    last, longest = time.perf_counter(), 0.0
    thread.start()
    while not done.is_set():
        now = time.perf_counter()
        last, longest = now, max(longest, now - last)
    thread.join()
    assert longest < took[0] / 2

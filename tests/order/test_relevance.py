"""Causes that neither single variables nor pairs of them can show."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mcsl.data import Dataset
from mcsl.order import OrderSearch, screen
from mcsl.order.relevance import relevant_predecessors
from mcsl.problem import Problem

N_INPUTS, N_CAUSES = 22, 4
EFFECT = N_INPUTS


@pytest.fixture(autouse=True)
def one_thread():
    """As the search does: threads inside small regressions only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def problem() -> Problem:
    """One effect of four variables among 22; two of them act only together with the others."""
    rng = np.random.default_rng(3)
    inputs = rng.normal(size=(3000, N_INPUTS))
    causes = inputs[:, :N_CAUSES]
    effect = (
        4 * np.prod(np.sin(causes), axis=1) + causes[:, :2].sum(axis=1) / 2 + rng.normal(scale=0.3, size=3000)
    )
    names = tuple(f"x{k}" for k in range(N_INPUTS + 1))
    table = Problem.from_dataset(Dataset(np.column_stack([inputs, effect]), names))
    candidates = np.zeros((N_INPUTS + 1, N_INPUTS + 1), dtype=bool)
    candidates[:N_INPUTS, EFFECT] = True
    return Problem(table.dataset.standardized(), table.variables, candidates)


def test_causes_that_act_together_are_heard_where_some_of_them_are_known(problem: Problem) -> None:
    known = np.zeros_like(problem.candidates)
    known[[0, 1, 9], EFFECT] = True
    relevant = relevant_predecessors(problem, range(N_INPUTS + 1), known)
    assert relevant[:N_CAUSES, EFFECT].all()
    assert relevant.sum() <= N_CAUSES + 2


def test_later_and_forbidden_variables_are_no_causes(problem: Problem) -> None:
    known = np.zeros_like(problem.candidates)
    known[:2, EFFECT] = True
    allowed = problem.candidates.copy()
    allowed[2, EFFECT] = False
    some = Problem(problem.dataset, problem.variables, allowed)
    order = [*(k for k in range(N_INPUTS) if k != 3), EFFECT, 3]
    assert not relevant_predecessors(some, order, known)[2:N_CAUSES, EFFECT].any()


def test_noise_has_no_causes(problem: Problem) -> None:
    values = problem.dataset.values.copy()
    values[:, EFFECT] = np.random.default_rng(4).normal(size=len(values))
    noise = Problem(Dataset(values, problem.dataset.names), problem.variables, problem.candidates)
    known = np.zeros_like(problem.candidates)
    known[[0, 1, 9], EFFECT] = True
    assert not relevant_predecessors(noise, range(N_INPUTS + 1), known).any()


def test_few_rows_tell_nothing(problem: Problem) -> None:
    rows = Dataset(problem.dataset.values[:50], problem.dataset.names)
    few = Problem(rows, problem.variables, problem.candidates)
    assert not relevant_predecessors(few, range(N_INPUTS + 1), np.zeros_like(few.candidates)).any()


def test_the_search_looks_beyond_its_screening(problem: Problem) -> None:
    assert not screen(problem)[2:N_CAUSES, EFFECT].all()
    assert OrderSearch().find(problem).graph.adjacency[:N_CAUSES, EFFECT].all()

"""Cholesky factors by LAPACK without Python's lock, so that threads factorise side by side.

SciPy's own wrappers keep the lock. It offers the routines themselves to compiled code, and `ctypes` lets go
of the lock while it calls them. A matrix of rows is to LAPACK one of columns: its lower triangle is our upper
one, and what is below our diagonal is neither read nor written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_lapack

# Single precision halves the cost; the noise on the diagonal of every kernel keeps it well conditioned.
Array = NDArray[np.float32]


def factorise(matrix: Array) -> None:
    """Replace the upper triangle of A by U with A = U'U."""
    _call(_potrf, matrix)


def invert(factor: Array) -> None:
    """Replace U by the upper triangle of the inverse of U'U."""
    _call(_potri, factor)


def solve(factor: Array, right: Array) -> Array:
    """Return the inverse of U'U times the columns of `right`; U may be the first part of a larger factor."""
    solved = np.array(right.T, order="C")
    _call(_potrs, factor, solved)
    return solved.T


def log_determinant(factor: Array) -> float:
    """Return the logarithm of the determinant of U'U."""
    return 2 * float(np.log(np.diag(factor), dtype=np.float64).sum())


def _routine(name: str, n_arguments: int) -> Callable[..., None]:
    capsule = cython_lapack.__pyx_capi__[name]
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)
    return prototype(pointer_of(capsule, name_of(capsule)))


_potrf, _potri, _potrs = _routine("spotrf", 5), _routine("spotri", 5), _routine("spotrs", 8)


def _call(routine: Callable[..., None], matrix: Array, right: Array | None = None) -> None:
    # Builds of LAPACK differ in the length of their integers; the first half of a long one is a short one.
    size, stride = ctypes.c_int64(len(matrix)), ctypes.c_int64(matrix.strides[0] // matrix.itemsize)
    lower, info = ctypes.c_char(b"L"), ctypes.c_int64(0)
    where = [matrix.ctypes.data, ctypes.addressof(stride)]
    sizes = [ctypes.addressof(size)]
    if right is not None:
        width = ctypes.c_int64(len(right))
        sizes, where = [*sizes, ctypes.addressof(width)], [*where, right.ctypes.data, ctypes.addressof(size)]
    routine(ctypes.addressof(lower), *sizes, *where, ctypes.addressof(info))
    if info.value:
        raise np.linalg.LinAlgError("A matrix that should be positive definite is not.")

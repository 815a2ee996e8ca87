"""Cholesky factors by LAPACK without Python's lock, so that threads factorise side by side.

SciPy's own wrappers keep the lock. It offers the routines themselves to compiled code, and `ctypes` lets go
of the lock while it calls them. A matrix of rows is to LAPACK one of columns: its lower triangle is our upper
one, and what is below our diagonal is neither read nor written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import ModuleType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cython_blas, cython_lapack

# Single precision halves the cost; the noise on the diagonal of every kernel keeps it well conditioned.
Array = NDArray[np.float32]

_Argument: TypeAlias = "bytes | int | float | Array | ctypes.c_int64"

# LAPACK inverts larger triangles at half the pace of its products.
_SMALL_TRIANGLE = 96


def factorise(matrix: Array) -> None:
    """Replace the upper triangle of A by U with A = U'U."""
    _checked(_potrf, b"L", len(matrix), matrix, _stride(matrix))


def invert(factor: Array) -> None:
    """Replace U by the upper triangle of the inverse of U'U."""
    _invert_triangle(factor)
    _checked(_lauum, b"L", len(factor), factor, _stride(factor))


def solve(factor: Array, right: Array) -> Array:
    """Return the inverse of U'U times the columns of `right`; U may be the first part of a larger factor."""
    solved = np.array(right.T, order="C")
    _checked(_potrs, b"L", len(factor), len(solved), factor, _stride(factor), solved, _stride(solved))
    return solved.T


def log_determinant(factor: Array) -> float:
    """Return the logarithm of the determinant of U'U."""
    return 2 * float(np.log(np.diag(factor), dtype=np.float64).sum())


def _invert_triangle(upper: Array) -> None:
    """Replace U by its inverse, half by half: what is right of the first half U1 becomes -U1^-1 R U2^-1.

    BLAS multiplies by the inverted halves at twice the pace at which it solves by the halves themselves.
    """
    size, stride = len(upper), _stride(upper)
    if size <= _SMALL_TRIANGLE:
        _checked(_trtri, b"L", b"N", size, upper, stride)
        return
    half, rest = size // 2, size - size // 2
    first, right, second = upper[:half, :half], upper[:half, half:], upper[half:, half:]
    for side, triangle, sign in ((b"L", second, -1.0), (b"R", first, 1.0)):
        _invert_triangle(triangle)
        _call(_trmm, side, b"L", b"N", b"N", rest, half, sign, triangle, stride, right, stride)


def _routine(module: ModuleType, name: str, n_arguments: int) -> Callable[..., None]:
    capsule = module.__pyx_capi__[name]
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)
    return prototype(pointer_of(capsule, name_of(capsule)))


_potrf, _potrs = _routine(cython_lapack, "spotrf", 5), _routine(cython_lapack, "spotrs", 8)
_trtri, _lauum = _routine(cython_lapack, "strtri", 6), _routine(cython_lapack, "slauum", 5)
_trmm = _routine(cython_blas, "strmm", 11)


def _checked(routine: Callable[..., None], *arguments: _Argument) -> None:
    """Call a routine of LAPACK, whose last argument says how it went."""
    info = ctypes.c_int64(0)
    _call(routine, *arguments, info)
    if info.value:
        raise np.linalg.LinAlgError("A matrix that should be positive definite is not.")


def _call(routine: Callable[..., None], *arguments: _Argument) -> None:
    routine(*map(_pointer, arguments))


def _pointer(argument: _Argument) -> object:
    if isinstance(argument, ctypes.c_int64):
        return ctypes.byref(argument)
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data
    if isinstance(argument, bytes):
        return ctypes.byref(ctypes.c_char(argument))
    if isinstance(argument, float):
        return ctypes.byref(ctypes.c_float(argument))
    # Builds of LAPACK differ in the length of their integers; the first half of a long one is a short one.
    return ctypes.byref(ctypes.c_int64(argument))


def _stride(matrix: Array) -> int:
    """Return how many numbers lie between the beginnings of two rows."""
    return matrix.strides[0] // matrix.itemsize

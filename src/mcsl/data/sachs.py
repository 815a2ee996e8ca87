"""The protein measurements of Sachs et al. (2005) and the network that biologists agree on."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mcsl.data.dataset import Dataset
from mcsl.errors import DataError
from mcsl.graph import CausalGraph

N_OBSERVATIONAL = 853
"""The first rows of the file, which no intervention was made on."""

_FILES = {
    "sachs.2005.continuous.txt": "a488589b0f021b2a261ff2c696a908c6823051b0d98693e0fa0e78bb12097063",
    "sachs_observational.csv": "77ebbe5882aab19e7730e9ed5db18fd1c7a5f08a57bfd9c88b9bf344c6f2d72e",
}
"""The published file and a copy of its first rows, with their SHA-256."""
_URL = (
    "https://raw.githubusercontent.com/cmu-phil/example-causal-datasets/"
    "a23adc349a23fc34d258193b45c60522ca6355b4/real/sachs/data/sachs.2005.continuous.txt"
)
_CONSENSUS = {
    "raf": "mek",
    "mek": "erk",
    "plc": "pip2 pip3",
    "pip3": "pip2",
    "erk": "akt",
    "pka": "raf mek erk akt p38 jnk",
    "pkc": "raf mek pka p38 jnk",
}


class Sachs(NamedTuple):
    """A table and the graph to compare with."""

    dataset: Dataset
    """853 cells and 11 proteins and phospholipids, on the raw scale."""
    graph: CausalGraph
    """The 17 edges of the consensus network."""


def fetch_sachs() -> Sachs:
    """Return the observational rows of Sachs et al. (2005, CC0) and the consensus network.

    A copy in the folder `sachs` of `MCSL_DATA` or of `../shared/data` is read if there is one. Otherwise the
    file is downloaded once into the user's cache, which needs `pip install '.[datasets]'`. Its digest
    is checked either way.
    """
    path = _local_copy() or _download()
    if hashlib.sha256(path.read_bytes()).hexdigest() != _FILES[path.name]:
        raise DataError(f"{path} is not the published file; delete it, or point `MCSL_DATA` elsewhere.")
    separator = "," if path.suffix == ".csv" else "\t"
    with path.open(encoding="utf-8") as lines:
        names = tuple(next(lines).strip().split(separator))
        values = np.loadtxt(lines, delimiter=separator, max_rows=N_OBSERVATIONAL)
    effects = {cause: listed.split() for cause, listed in _CONSENSUS.items()}
    adjacency = np.array([[effect in effects.get(cause, ()) for effect in names] for cause in names])
    return Sachs(Dataset(values, names), CausalGraph(adjacency, names))


def _local_copy() -> Path | None:
    folders = [Path(folder) / "sachs" for folder in (os.environ.get("MCSL_DATA"), "../shared/data") if folder]
    copies = [folder / name for folder in folders for name in _FILES]
    return next((copy for copy in copies if copy.exists()), None)


def _download() -> Path:
    way_out = "set `MCSL_DATA` to a folder with `sachs/sachs.2005.continuous.txt`"
    try:
        import pooch
    except ImportError:
        raise DataError(f"Downloading needs `pip install '.[datasets]'`; or {way_out}.") from None
    name = next(iter(_FILES))
    try:
        return Path(pooch.retrieve(_URL, f"sha256:{_FILES[name]}", fname=name, path=pooch.os_cache("mcsl")))
    except OSError as error:
        raise DataError(f"{_URL} could not be downloaded; {way_out}.") from error
    except ValueError as error:  # pooch's word for another digest
        raise DataError(f"{_URL} is not the published file as it was downloaded; {way_out}.") from error

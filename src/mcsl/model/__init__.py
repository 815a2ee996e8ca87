"""The masked structural equation model: an edge mask and one mechanism a variable."""

from mcsl.model.layout import Layout
from mcsl.model.linear import Linear
from mcsl.model.location_scale import LocationScale
from mcsl.model.mask import EdgeMask
from mcsl.model.masked_sem import MaskedSEM
from mcsl.model.mechanism import Mechanism, MechanismInit
from mcsl.model.mlp import MLP
from mcsl.model.quadratic import Quadratic

__all__ = [
    "MLP",
    "EdgeMask",
    "Layout",
    "Linear",
    "LocationScale",
    "MaskedSEM",
    "Mechanism",
    "MechanismInit",
    "Quadratic",
]

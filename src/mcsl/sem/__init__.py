"""Mechanisms on a learned graph: prediction, sampling, interventions, counterfactuals and effects."""

from mcsl.sem.effects import Effect, EffectCurve
from mcsl.sem.fitted import FittedSEM, HeldOutFit
from mcsl.sem.fitting import fit_sem

__all__ = ["Effect", "EffectCurve", "FittedSEM", "HeldOutFit", "fit_sem"]

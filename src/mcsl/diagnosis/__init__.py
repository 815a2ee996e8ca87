"""From an incident to its root cause: whose own noise is anomalous, and whose anomaly is explained."""

from mcsl.diagnosis.result import Candidate, RootCauseResult
from mcsl.diagnosis.root_cause import root_cause

__all__ = ["Candidate", "RootCauseResult", "root_cause"]

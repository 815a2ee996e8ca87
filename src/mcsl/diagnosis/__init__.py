"""From an incident to its root cause: whose own noise is anomalous, and whose anomaly is explained."""

from mcsl.diagnosis.diagnose import root_cause
from mcsl.diagnosis.result import Candidate, RootCauseResult

__all__ = ["Candidate", "RootCauseResult", "root_cause"]

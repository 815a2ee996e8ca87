"""What speaks for a learned graph and what against it, in plain words."""

from mcsl.trust.finding import Finding
from mcsl.trust.independence import hsic_test
from mcsl.trust.panel import assess_trust

__all__ = ["Finding", "assess_trust", "hsic_test"]

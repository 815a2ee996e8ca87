"""The settings of training."""

from __future__ import annotations

from dataclasses import dataclass

from mcsl.errors import SettingsError


@dataclass(frozen=True)
class Schedule:
    """How the augmented Lagrangian proceeds; the symbols are the paper's."""

    initial_penalty: float | None = None
    """rho^0; None for 1 / s0^2, where s0 is the median acyclicity of the first masks."""
    penalty_growth: float | None = None
    """beta: the factor on rho where a stage did not lower the acyclicity enough; None for s0^(1/6)."""
    required_decrease: float = 0.25
    """gamma: a stage must bring the acyclicity below this share of the last one's."""
    tolerance: float = 1e-10
    """xi: both stopping rules ask for less than this."""
    learning_rate: float = 3e-2
    steps_per_stage: int = 1000
    """Steps of a stage, or the most of them where `required_fall` is given."""
    required_fall: float | None = None
    """A stage ends where the mean Lagrangian of a fifth of its steps is not this many standard errors below
    that of the fifth before; None for all steps."""
    batch_size: int | None = None
    """Rows a step; None for all of them."""
    fresh_optimizer: bool = False
    """Whether Adam forgets the gradients of earlier stages."""
    max_stages: int = 100
    max_penalty: float = 1e20

    def __post_init__(self) -> None:
        for name in ("tolerance", "learning_rate", "max_penalty"):
            _require(getattr(self, name) > 0, f"`{name}` must be > 0", getattr(self, name))
        if self.initial_penalty is not None:
            _require(self.initial_penalty > 0, "`initial_penalty` must be > 0 or None", self.initial_penalty)
        if self.penalty_growth is not None:
            _require(self.penalty_growth > 1, "`penalty_growth` must be > 1 or None", self.penalty_growth)
        _require(
            0 < self.required_decrease < 1, "`required_decrease` must be in (0, 1)", self.required_decrease
        )
        for name in ("steps_per_stage", "max_stages"):
            _require(getattr(self, name) >= 1, f"`{name}` must be >= 1", getattr(self, name))
        if self.required_fall is not None:
            _require(self.required_fall > 0, "`required_fall` must be > 0 or None", self.required_fall)
        if self.batch_size is not None:
            _require(self.batch_size >= 1, "`batch_size` must be >= 1 or None", self.batch_size)


def _require(holds: bool, rule: str, got: object) -> None:
    if not holds:
        raise SettingsError(f"{rule}. Got {got} instead.")

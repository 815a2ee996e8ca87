"""The settings of training."""

from __future__ import annotations

from dataclasses import dataclass

from mcsl.settings import check_number, whole_number


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
            check_number(name, getattr(self, name), above=0)
        check_number("required_decrease", self.required_decrease, above=0, below=1)
        for name, above in {"initial_penalty": 0, "penalty_growth": 1, "required_fall": 0}.items():
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), above=above)
        whole_number("steps_per_stage", self.steps_per_stage, 1)
        whole_number("max_stages", self.max_stages, 1)
        if self.batch_size is not None:
            whole_number("batch_size", self.batch_size, 1)

import sys
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

from mcsl.cli import main


@dataclass
class Outcome:
    exit_code: int
    out: str
    err: str


@pytest.fixture
def mcsl(capsys):
    """Run a command in this process."""

    def run(*arguments):
        capsys.readouterr()
        exit_code = main([str(argument) for argument in arguments])
        return Outcome(exit_code, *capsys.readouterr())

    return run


@pytest.fixture
def table(tmp_path):
    """A small table that can be learned from."""
    path = tmp_path / "table.csv"
    values = np.random.default_rng(0).normal(size=(30, 3))
    np.savetxt(path, values, delimiter=",", header="a,b,c", comments="")
    return path


@pytest.fixture
def fake_learn(monkeypatch):
    """Replace training: keeps what it was called with, returns a fixed graph or raises what it is told."""
    from mcsl.graph import CausalGraph
    from mcsl.pruning import EdgeTest
    from mcsl.result import Result
    from mcsl.search import StopReason, TraceRow

    class FakeLearn:
        raises = None
        recipe = None

        def __call__(self, data, recipe=None, *, seed=0, observers=(), **options):
            self.data, self.recipe, self.seed, self.options = data, recipe, seed, options
            if self.raises:
                raise self.raises
            row = TraceRow(**dict.fromkeys(TraceRow.__dataclass_fields__, 1))
            for observer in observers:
                observer(row)
            names = data.names
            return Result(
                graph=CausalGraph.from_edges([names[:2]], names),
                edge_probabilities=np.full((len(names),) * 2, 0.75),
                trace=(row,),
                stop_reason=StopReason.STAGE_LIMIT,
                cut_edges=(names[1::-1],),
                tests=(
                    EdgeTest(names[0], names[1], True, "additive", "p_value", 1.5e-9),
                    EdgeTest(names[0], names[2], False, "additive", "p_value", 0.4),
                ),
                recipe=recipe,
                seed=seed,
                n_samples=data.n_samples,
                fingerprint=data.fingerprint(),
                versions={},
                timings={},
            )

    # Nothing is compiled, and a test should not set JAX's cache for the tests after it.
    monkeypatch.setattr("mcsl.cli.session.keep_compilations", lambda: None)
    fake = FakeLearn()
    import_module("mcsl.learning")
    monkeypatch.setattr(sys.modules["mcsl.learning"], "learn", fake)
    return fake

"""The progress bar draws on a terminal and is silent elsewhere."""

import io

import pytest
from rich.console import Console

from mcsl.cli.progress import HalvesBar, ProgressBar, remaining
from mcsl.search import TraceRow


def row(stage, elapsed, progress):
    fields = dict.fromkeys(TraceRow.__dataclass_fields__, 0.0)
    return TraceRow(**{**fields, "stage": stage, "elapsed": elapsed, "progress": progress, "n_edges": 23})


def drawn(*, terminal, **options):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=150)
    with ProgressBar(console, **options) as bar:
        bar(row(1, 10.0, 0.1))
        bar(row(2, 14.0, 0.3))
    return console.file.getvalue()


def test_draws_on_a_terminal():
    text = drawn(terminal=True)
    for word in ("stage 2", "acyclicity 0.0e+00", "score 0", "edges 23", "30%", "about 0:00:14 left"):
        assert word in text


def test_tells_of_restarts():
    assert "4 restarts, stage 2" in drawn(terminal=True, n_restarts=4)
    assert "restarts" not in drawn(terminal=True)


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True)])
def test_is_silent_elsewhere(terminal, quiet):
    assert drawn(terminal=terminal, quiet=quiet).strip() == ""


@pytest.mark.parametrize(("terminal", "quiet"), [(True, False), (False, False), (True, True)])
def test_half_samples_are_counted_on_a_terminal_alone(terminal, quiet):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=150)
    with HalvesBar(console, quiet=quiet) as bar:
        bar(0, 20)
        bar(7, 20)
    text = console.file.getvalue()
    assert ("half-samples" in text and "7/20" in text) if terminal and not quiet else not text.strip()


def test_the_estimate_leaves_out_what_the_compiler_took():
    assert remaining(row(1, 100.0, 0.1), row(1, 100.0, 0.1)) == ""
    assert remaining(row(1, 100.0, 0.1), row(2, 101.0, 0.2)) == "about 0:00:08 left"

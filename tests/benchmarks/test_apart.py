import os
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.apart import apart
from joblib import cpu_count


def test_a_run_returns_what_it_finds_and_what_it_takes():
    def work():
        block = np.ones(64 << 20, np.uint8)
        while os.times().user < 0.2:
            pass
        return int(block.sum())

    found, taken = apart(work)
    assert found == 64 << 20
    assert taken["seconds"] >= taken["cpu_seconds"] - 0.05
    assert taken["cpu_seconds"] >= 0.1
    assert taken["peak_memory_mib"] >= 64


def test_what_a_run_starts_is_counted():
    program = "import time; block = bytearray(64 << 20)\nwhile time.process_time() < 0.5: pass"
    _, taken = apart(lambda: subprocess.run([sys.executable, "-c", program], check=True).returncode)
    assert taken["cpu_seconds"] >= 0.5


def test_a_run_has_a_process_and_a_core_of_its_own():
    (process, cores), _ = apart(lambda: (os.getpid(), cpu_count()))
    assert process != os.getpid()
    assert cores == 1


def test_a_run_that_ends_without_a_result_ends_the_benchmark(capfd):
    with pytest.raises(SystemExit, match="ended without a result"):
        apart(lambda: 1 / 0)
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize("benchmark", ["recipe", "vector_series"])
def test_time_is_not_spent_on_imports(benchmark):
    program = f"import sys, benchmarks.{benchmark}.run; sys.exit('mcsl.learning' not in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)

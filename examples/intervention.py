"""What if: learn a graph from observations, then ask what interventions would do.

Run it with `python examples/intervention.py`; it writes run.mcsl beside you.
"""

import numpy as np
import polars as pl

import mcsl


def run_machines(n_machines: int, seed: int, speed: float | None = None) -> pl.DataFrame:
    """Simulate machines; with `speed` all of them are set to run that fast."""
    rng = np.random.default_rng(seed)
    load, ambient = rng.uniform(-1.5, 1.5, (2, n_machines))
    noise = rng.standard_normal((3, n_machines))
    chosen = np.tanh(2 * load) + 0.4 * noise[0] if speed is None else np.full(n_machines, speed)
    temperature = 60 + 8 * chosen**2 + 5 * ambient + noise[1]
    wear = 0.05 * np.exp((temperature - 60) / 8) + 0.6 * load**2 + 0.2 * noise[2]
    columns = {"load": load, "ambient": ambient, "speed": chosen, "temperature": temperature, "wear": wear}
    return pl.DataFrame(columns)


if __name__ == "__main__":
    table = run_machines(1000, seed=0)
    result = mcsl.learn(table)
    sem = result.sem
    print(result.edges.filter(pl.col("kept")).select("cause", "effect", "p_value"))
    for finding in result.trust:
        print(f"{finding.verdict:<8} {finding.sentence} {finding.advice}")

    effect = sem.effect("speed", "wear", from_=0.0, to=1.2)
    truth = (
        run_machines(100_000, seed=1, speed=1.2)["wear"].mean()
        - run_machines(100_000, seed=1, speed=0.0)["wear"].mean()
    )
    print(f"{effect}; the truth is {truth:.3f}")

    slowed = sem.do({"speed": lambda speed: 0.5 * speed}).sample(1000, seed=0)
    print(f"Half the speed: mean wear {slowed['wear'].mean():.2f} instead of {table['wear'].mean():.2f}")

    worst = table.sort("wear").tail(1).to_dicts()[0]
    other = sem.counterfactual(worst, {"speed": 0.0})
    print(f"The machine with wear {worst['wear']:.2f} would have had {other['wear']:.2f} at speed 0")

    result.save("run.mcsl")
    assert mcsl.load_result("run.mcsl").graph == result.graph

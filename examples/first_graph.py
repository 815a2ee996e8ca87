"""A first graph: a table with names, the graph behind it, and a picture of both.

Run it with `python examples/first_graph.py`; it writes graph.svg beside you.
"""

import numpy as np
import polars as pl

import mcsl

TRUTH = [
    ("sun", "temperature"),
    ("sun", "soil moisture"),
    ("rain", "soil moisture"),
    ("temperature", "growth"),
    ("soil moisture", "growth"),
    ("growth", "harvest"),
]


def grow(n_fields: int, seed: int) -> pl.DataFrame:
    """Simulate fields: every variable is a smooth function of its causes and some noise of its own."""
    rng = np.random.default_rng(seed)
    sun, rain, *noise = rng.standard_normal((6, n_fields))
    temperature = np.exp(0.6 * sun) + 0.4 * noise[0]
    moisture = np.exp(0.5 * rain) - 0.4 * sun**2 + 0.4 * noise[1]
    growth = 2 * np.sin(temperature) + 1.5 * np.tanh(moisture) + 0.4 * noise[2]
    harvest = 1.5 * np.maximum(growth, 0) + 0.4 * noise[3]
    columns = (harvest, growth, moisture, temperature, rain, sun)
    return pl.DataFrame(columns, ("harvest", "growth", "soil moisture", "temperature", "rain", "sun"))


if __name__ == "__main__":
    table = grow(n_fields=1000, seed=0)
    result = mcsl.learn(table)

    for cause, effect in result.graph.edges:
        print(f"{cause} -> {effect}")
    print(result.stop_reason.sentence)

    truth = mcsl.CausalGraph.from_edges(TRUTH, table.columns)
    print(mcsl.evaluate(result.graph, truth))
    mcsl.write_graph_picture(result, "graph.svg", truth=truth)

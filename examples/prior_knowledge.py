"""Prior knowledge: straight lines with Gaussian noise hide directions, and the order in time gives them back.

Run it with `python examples/prior_knowledge.py`.
"""

import numpy as np
import polars as pl

import mcsl

TRUTH = [
    ("parents' income", "schooling"),
    ("talent", "schooling"),
    ("schooling", "salary"),
    ("talent", "salary"),
    ("salary", "savings"),
]


def follow(n_people: int, seed: int) -> pl.DataFrame:
    """Simulate lives: every variable is a weighted sum of its causes and Gaussian noise."""
    rng = np.random.default_rng(seed)
    income, talent, *noise = rng.standard_normal((5, n_people))
    schooling = 0.8 * income + 0.7 * talent + noise[0]
    salary = 0.9 * schooling + 0.5 * talent + noise[1]
    savings = 0.8 * salary + noise[2]
    columns = (savings, salary, schooling, talent, income)
    return pl.DataFrame(columns, ("savings", "salary", "schooling", "talent", "parents' income"))


if __name__ == "__main__":
    table = follow(n_people=1000, seed=0)
    truth = mcsl.CausalGraph.from_edges(TRUTH, table.columns)
    knowledge = mcsl.Knowledge(
        tiers=[["parents' income", "talent"], ["schooling"], ["salary"], ["savings"]],
        required=[("schooling", "salary")],
        forbidden=[("parents' income", "talent"), ("talent", "parents' income")],
    )

    for words, known in [("without", None), ("with", knowledge)]:
        result = mcsl.learn(table, knowledge=known)
        print(f"\n{words.capitalize()} prior knowledge: {mcsl.evaluate(result.graph, truth)}")
        for cause, effect in result.graph.edges:
            print(f"  {cause} -> {effect}")

    try:
        mcsl.Knowledge(tiers=knowledge.tiers, required=[("savings", "schooling")])
    except mcsl.KnowledgeError as error:
        print(f"\nRefused: {error}")

"""Prune the graph of another package: here sort-and-regress of CausalDisco, a baseline that finds too much.

Run it with `python examples/prune_another_graph.py`, after `pip install CausalDisco`. The same from the
command line, for a matrix in a CSV file whose rows cause its columns:
`mcsl prune data.csv their_graph.csv --out pruned`.
"""

from CausalDisco.baselines import var_sort_regress

import mcsl

if __name__ == "__main__":
    simulation = mcsl.simulate("gp-add", n_variables=8, degree=1.5, n_samples=1000, seed=2)
    dataset = simulation.dataset

    weights = var_sort_regress(dataset.values)
    theirs = mcsl.CausalGraph(weights != 0, dataset.names)

    pruned = mcsl.AdditivePruner().prune(theirs, mcsl.Problem.from_dataset(dataset))

    print("before:", mcsl.evaluate(theirs, simulation.graph))
    print("after: ", mcsl.evaluate(pruned.graph, simulation.graph))
    for test in pruned.tests:
        verdict = "kept" if test.kept else "dropped"
        print(f"{test.cause} -> {test.effect}  {verdict}, {test.test} p = {test.value:.1e}")

"""`Recipe.paper` on Gaussian-process data, before and after CAM pruning, beside the paper's own numbers.

python -m benchmarks.paper_recipe            run what is missing, then write the table
python -m benchmarks.paper_recipe --table    only write the table
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

from benchmarks.provenance import machine, now, versions
from benchmarks.readme import markdown_table, put_table

from mcsl import KeepAll, Recipe, evaluate, learn, simulate
from mcsl.problem import Problem
from mcsl.pruning import AdditivePruner

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "paper_recipe.jsonl"
METHOD = "Recipe.paper, raw data"
N_VARIABLES, N_SAMPLES = 10, 3000
SCENARIOS = {"gp ER1": 1, "gp ER4": 4}
SEEDS = range(1000, 1005)

# Table 1 of arXiv:1910.08527: MCSL-MLP after CAM pruning, mean and deviation of SHD, then of TPR.
PAPER = {"gp ER1": ("1.4 ± 1.7", "0.87 ± 0.21"), "gp ER4": ("8.2 ± 3.3", "0.80 ± 0.09")}


def run(scenario: str, seed: int) -> dict:
    simulation = simulate(
        "gp", n_variables=N_VARIABLES, degree=SCENARIOS[scenario], seed=seed, n_samples=N_SAMPLES
    )
    began = time.perf_counter()
    recipe = replace(Recipe.paper(N_VARIABLES), pruner=KeepAll())
    result = learn(simulation.dataset, recipe, seed=seed)
    learned = time.perf_counter()
    pruned = AdditivePruner().prune(result.graph, Problem.from_dataset(simulation.dataset)).graph
    return {
        "scenario": scenario,
        "method": METHOD,
        "seed": seed,
        "n_variables": N_VARIABLES,
        "n_samples": N_SAMPLES,
        "true_edges": len(simulation.graph.edges),
        "before_pruning": evaluate(result.graph, simulation.graph).as_dict(),
        "after_pruning": evaluate(pruned, simulation.graph).as_dict(),
        "stop_reason": result.stop_reason.value,
        "n_stages": len(result.trace),
        "n_cut_edges": len(result.cut_edges),
        "learn_seconds": round(learned - began, 1),
        "prune_seconds": round(time.perf_counter() - learned, 1),
        "date": now(),
        "machine": machine(),
        "versions": versions(("mcsl", "jax", "numpy", "scipy")),
    }


def read() -> list[dict]:
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def table(records: list[dict]) -> str:
    def spread(of: list[dict], stage: str, metric: str, digits: int) -> str:
        values = [record[stage][metric] for record in of]
        deviation = f" ± {stdev(values):.{digits}f}" if len(values) > 1 else ""
        return f"{mean(values):.{digits}f}{deviation}"

    header = ["data", "stage", "SHD", "TPR", "FDR", "edges (true)", "converged", "seconds", "runs"]
    rows = []
    for scenario in SCENARIOS:
        of = [record for record in records if record["scenario"] == scenario]
        if not of:
            continue
        converged = sum(record["stop_reason"] == "converged" for record in of)
        true_edges = mean(record["true_edges"] for record in of)
        for stage, clock in (("before_pruning", "learn_seconds"), ("after_pruning", "prune_seconds")):
            rows.append(
                [
                    scenario,
                    f"ours, {stage.replace('_', ' ')}",
                    spread(of, stage, "shd", 1),
                    spread(of, stage, "tpr", 2),
                    spread(of, stage, "fdr", 2),
                    f"{mean(record[stage]['n_edges'] for record in of):.1f} ({true_edges:.1f})",
                    f"{converged} of {len(of)}",
                    f"{mean(record[clock] for record in of):.0f}",
                    len(of),
                ]
            )
        shd, tpr = PAPER[scenario]
        rows.append([scenario, "paper, after CAM pruning", shd, tpr, "", "", "", "", ""])
    return markdown_table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="run nothing, write the table")
    if not parser.parse_args().table:
        RESULTS.parent.mkdir(exist_ok=True)
        done = {(record["scenario"], record["method"], record["seed"]) for record in read()}
        for seed in SEEDS:
            for scenario in SCENARIOS:
                if (scenario, METHOD, seed) not in done:
                    with RESULTS.open("a") as lines:
                        lines.write(json.dumps(run(scenario, seed), ensure_ascii=False) + "\n")
    written = table(read())
    put_table(HERE / "README.md", "paper_recipe", written)
    print(written)


if __name__ == "__main__":
    main()

from dataclasses import replace

from benchmarks.methods import ges

METHOD = replace(
    ges.METHOD,
    name="GES-GS",
    source="Huang et al. (2018)",
    settings={"score_func": "local_score_CV_general", "parameters": {"kfold": 10, "lambda": 0.01}},
    n_samples=500,
)

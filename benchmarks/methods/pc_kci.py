from dataclasses import replace

from benchmarks.methods import pc

METHOD = replace(
    pc.METHOD,
    name="PC-KCI",
    source="Zhang et al. (2012)",
    settings={"alpha": 0.05, "indep_test": "kci"},
    n_samples=500,
)

from dataclasses import replace

from benchmarks.methods import paper_mlp

METHOD = replace(
    paper_mlp.METHOD,
    name="MCSL-quad",
    settings={**paper_mlp.METHOD.settings, "mechanism": "Quadratic"},
    is_quadratic=True,
)

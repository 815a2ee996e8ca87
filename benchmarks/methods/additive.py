from dataclasses import replace

from benchmarks.methods import default

METHOD = replace(default.METHOD, name="additive", settings={"recipe": "additive"})

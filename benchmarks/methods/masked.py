from dataclasses import replace

from benchmarks.methods import default

METHOD = replace(default.METHOD, name="masked", settings={"recipe": "masked"})

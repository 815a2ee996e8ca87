"""Write format_1.mcsl, a result in format 1 of the files of results.

It is kept to see that later versions read it: do not make it again when the format changes.
"""

from pathlib import Path

import numpy as np

import mcsl

rng = np.random.default_rng(0)
dose = rng.uniform(-2, 2, 40)
response = dose**3 / 2 + dose / 2 + rng.laplace(size=40) / 8
table = mcsl.Dataset(
    np.column_stack([dose, response, rng.standard_normal(40)]), ("dose", "response", "noise")
)
result = mcsl.learn(table, mcsl.Recipe.additive(), knowledge=mcsl.Knowledge(required=(("dose", "response"),)))
result.save(Path(__file__).with_name("format_1.mcsl"))

import numpy as np
from benchmarks.methods import Data, Method
from benchmarks.methods.pc import tails


def learn(data: Data, **settings) -> np.ndarray:
    from causallearn.search.ScoreBased.GES import ges

    return tails(ges(data.values, **settings)["G"].graph)


METHOD = Method(
    name="GES",
    package="causal-learn",
    imports="causallearn.search.ScoreBased.GES",
    source="Chickering (2002)",
    learn=learn,
    settings={"score_func": "local_score_BIC"},
    is_peer=True,
    is_pattern=True,
    is_unit_free=True,
)

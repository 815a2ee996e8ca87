"""Summary graphs of a series by other packages, in their own environment: `peers.py METHOD LAGS DATA.npy`.

Prints JSON: `directed[cause][effect]`, and `undirected` for pairs whose direction a method leaves open.
"""

import json
import sys

import numpy as np


def pcmci_plus(values: np.ndarray, lags: int):
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    method = PCMCI(dataframe=DataFrame(values), cond_ind_test=ParCorr(significance="analytic"))
    graph = method.run_pcmciplus(tau_min=0, tau_max=lags, pc_alpha=0.01)["graph"]
    directed = (graph == "-->").any(axis=2)
    undirected = np.isin(graph[:, :, 0], ["o-o", "x-x"]) & ~directed & ~directed.T
    return directed, undirected


def var_lingam(values: np.ndarray, lags: int):
    from lingam import VARLiNGAM

    model = VARLiNGAM(lags=lags, criterion=None, prune=True)
    model.fit(values)
    # lingam writes effects in rows.
    directed = (np.asarray(model.adjacency_matrices_) != 0).any(axis=0).T
    return directed, np.zeros_like(directed)


METHODS = {"PCMCI+": pcmci_plus, "VAR-LiNGAM": var_lingam}

if __name__ == "__main__":
    method, lags, path = sys.argv[1:]
    directed, undirected = METHODS[method](np.load(path), int(lags))
    np.fill_diagonal(directed, False)
    print(json.dumps({"directed": directed.tolist(), "undirected": undirected.tolist()}))

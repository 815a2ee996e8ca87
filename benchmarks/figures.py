"""Draw the paper's figures from stored lines: `python -m benchmarks.figures [NAME ...]`, by default all.

Each is saved as SVG and PNG in docs/results. Those from inside training need `benchmarks.training`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

if not __package__:
    # Started as a file, Python looks for packages beside it instead of in the repository.
    sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
from benchmarks.cells import ORACLES, OURS, Cells, mean_shd, median_seconds, read, runs_of_size
from benchmarks.run import METHODS
from benchmarks.scenarios import TABLES
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import lines

TRAINING = Path(__file__).parent / "results" / "training.jsonl"
FOLDER = Path(__file__).parents[1] / "docs" / "results"
# Okabe and Ito's palette, which people of any colour vision can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
# Where the overview ends: whatever makes more mistakes stands at its edge.
_MOST_MISTAKES = 2.0


def overview() -> Figure:
    """Mistakes of a few methods as a share of the true edges, on all scalar data of 3000 rows."""
    cells = read()
    tables = ("1", "2", "1a", "2a", "3", "4", "scale-free")
    scenarios = sorted({name for table in tables for name in TABLES[table]}, key=_by_kind)
    methods = {
        "default": ("mcsl, default", "o"),
        "MCSL-MLP": ("mcsl, paper", "D"),
        "CAM": ("CAM", "s"),
        "NOTEARS": ("NOTEARS", "^"),
        "GES": ("GES", "v"),
        "PC": ("PC", "x"),
        "sort by variance": ("sorting by variance", "+"),
    }
    figure, axes = plt.subplots(1, 2, figsize=(9, 7), sharey=True, layout="constrained")
    for ax, standardized in zip(axes, (False, True), strict=True):
        ax.axvline(1, color="#444444", lw=1, ls=":", label="no edges at all")
        for (method, (called, marker)), colour in zip(reversed(methods.items()), COLOURS[6::-1], strict=True):
            shares = [_mistakes_per_edge(cells, scenario, standardized, method) for scenario in scenarios]
            ax.plot(shares, range(len(scenarios)), marker, color=colour, label=called, ms=6, clip_on=False)
        ax.set(xlim=(0, _MOST_MISTAKES), title="standardised data" if standardized else "raw data")
        ax.set(xlabel="mistakes, as a share of the true edges")
        _tidy(ax)
    axes[0].set_yticks(range(len(scenarios)), scenarios)
    axes[0].invert_yaxis()
    shown, called = axes[0].get_legend_handles_labels()
    figure.legend(shown[::-1], called[::-1], frameon=False, ncols=4, loc="outside upper center")
    return figure


def _by_kind(scenario: str) -> tuple[str, str, int]:
    model, graph, size = scenario.rsplit("-", 2)
    return model, graph, int(size)


def _mistakes_per_edge(cells: Cells, scenario: str, standardized: bool, method: str) -> float:
    """Return mean SHD over that of no edges on the same tables, up to `_MOST_MISTAKES`; nan without a run."""
    runs, empty = (cells.get((scenario, standardized, name), []) for name in (method, "no edges"))
    seeds = {run["seed"] for run in runs if run["status"] == "ok"}
    shd, edges = mean_shd(runs), mean_shd([run for run in empty if run["seed"] in seeds])
    return np.nan if shd is None else min(shd / edges, _MOST_MISTAKES)


def gumbel_sigmoid() -> Figure:
    """How likely sigma((u + L) / tau), with logistic noise L, is within 0.05 of 0 or 1, over logits u."""
    figure, (one_temperature, several) = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
    logits, bound = np.linspace(-6, 6, 241), np.log(0.95 / 0.05)

    def near_zero(temperature: float) -> np.ndarray:
        return 1 / (1 + np.exp(logits + temperature * bound))

    at_zero, at_one = near_zero(0.2), near_zero(0.2)[::-1]
    one_temperature.plot(logits, at_zero, color=COLOURS[0], label="at most 0.05")
    one_temperature.plot(logits, at_one, color=COLOURS[1], label="at least 0.95")
    one_temperature.set(title="temperature 0.2", ylabel="share of draws")
    for temperature, colour in zip((0.05, 0.2, 0.5, 1.0, 2.0), COLOURS, strict=False):
        near_either = near_zero(temperature) + near_zero(temperature)[::-1]
        several.plot(logits, near_either, color=colour, label=f"temperature {temperature}")
    several.set(title="at most 0.05 or at least 0.95")
    for ax in (one_temperature, several):
        ax.set(xlabel="logit", xlim=(-6, 6), ylim=(0, 1.02))
        _tidy(ax)
    one_temperature.legend(fontsize=7, frameon=False)
    several.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def quadratic() -> Figure:
    return _bars({f"quadratic-ER1-{d}": f"{d} variables" for d in (10, 20, 50)})


def vectors() -> Figure:
    joint = {f"gp-vec-ER4-{d}": f"{d} variables" for d in (10, 20)}
    additive = {f"gp-add-vec-ER4-{d}": f"{d} variables, additive" for d in (10, 20)}
    return _bars(joint | additive)


def post_nonlinear() -> Figure:
    return _bars({f"pnl-ER1-{d}": f"{d} variables" for d in (10, 20, 50)})


def _bars(scenarios: Mapping[str, str]) -> Figure:
    """Mean SHD of every method with runs, with deviations, by scenarios and what they are called."""
    cells = read()
    others = [method for method in METHODS if method not in ORACLES]
    known = [method for method in others if any(_shd(cells, name, method) for name in scenarios)]
    size = (2 + 2.6 * len(scenarios), 0.28 * len(known) + 0.9)
    figure, axes = plt.subplots(1, len(scenarios), figsize=size, sharey=True, layout="constrained")
    for ax, (scenario, called) in zip(axes, scenarios.items(), strict=True):
        for place, method in enumerate(known):
            if values := _shd(cells, scenario, method):
                colour = COLOURS[0] if method in OURS else COLOURS[-1]
                ax.barh(place, np.mean(values), xerr=np.std(values), color=colour, ecolor="#444444")
            else:
                why = "timeout" if cells.get((scenario, False, method)) else "not run"
                at = {"xycoords": ("axes fraction", "data"), "va": "center", "size": "small"}
                ax.annotate(why, (0.02, place), color=COLOURS[-1], **at)
        ax.margins(y=0.01)
        ax.set(xlim=(0, None), xlabel=f"SHD, {called}", yticks=range(len(known)), yticklabels=known)
        _tidy(ax)
    axes[0].invert_yaxis()
    return figure


def training_trajectories() -> Figure:
    """Both stopping quantities, and the Lagrangian on training and validation rows, over the steps."""
    run = _training("gumbel-sigmoid", "gp-ER1-50")
    step, *columns = np.array(run["trajectory"]).T
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
    labels = ("s(U)", "tr exp σ(U/τ) − d", "training rows", "validation rows")
    for place, (values, label) in enumerate(zip(columns, labels, strict=True)):
        ax = axes[place // 2]
        ax.plot(step, values, color=COLOURS[place % 2], label=label, lw=1.2)
        ax.set(yscale="log", xlabel="training step")
        ax.xaxis.set_major_locator(plt.MaxNLocator(5))
        ax.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
        _tidy(ax)
    axes[0].set_ylabel("acyclicity")
    axes[1].set_ylabel("augmented Lagrangian")
    return figure


def sigmoid_matrices() -> Figure:
    """The learned matrices of a plain sigmoid and of Gumbel-Sigmoid, with the true edges framed."""
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.6), layout="constrained")
    for ax, mask in zip(axes, ("sigmoid", "gumbel-sigmoid"), strict=True):
        run = _training(mask, "gp-ER1-10")
        probabilities = np.array(run["probabilities"])
        largest = probabilities.max()
        image = ax.imshow(probabilities, cmap="Blues", vmin=0, vmax=largest)
        for cause, effect in np.argwhere(run["truth"]):
            frame = {"fill": False, "ec": COLOURS[1], "lw": 1.4}
            ax.add_patch(plt.Rectangle((effect - 0.5, cause - 0.5), 1, 1, **frame))
        ax.set(title=f"{mask}, at most {largest:.2f}", xlabel="effect", ylabel="cause")
        ax.set(xticks=[], yticks=[])
        figure.colorbar(image, ax=ax, label="σ(U/τ)", shrink=0.8)
    return figure


def pruning() -> Figure:
    """SHD, TPR and FDR of MCSL-MLP before and after CAM pruning, by graph and size."""
    cells = read()
    scenarios = [
        f"gp-{graph}-{d}"
        for graph in ("ER1", "ER4")
        for d in (10, 20, 50, 100)
        if _pruned(cells, f"gp-{graph}-{d}")
    ]
    figure, axes = plt.subplots(1, 3, figsize=(11, 2.8), layout="constrained")
    for ax, metric in zip(axes, ("shd", "tpr", "fdr"), strict=True):
        for shift, (label, colour) in enumerate((("before", COLOURS[-1]), ("after", COLOURS[0]))):
            runs = [_pruned(cells, scenario) for scenario in scenarios]
            values = [[(r["before_pruning"] if label == "before" else r)[metric] for r in of] for of in runs]
            places = np.arange(len(scenarios)) + 0.4 * shift - 0.2
            means, deviations = [np.mean(of) for of in values], [np.std(of) for of in values]
            ax.bar(places, means, 0.38, yerr=deviations, color=colour, ecolor="#444444", label=label)
        ax.set_xticks(
            range(len(scenarios)), [name.removeprefix("gp-").replace("-", "\n") for name in scenarios]
        )
        ax.set(title=metric.upper(), ylim=(0, None))
        _tidy(ax)
    axes[0].set_yscale("symlog", linthresh=10)
    bars, labels = axes[0].get_legend_handles_labels()
    figure.legend(bars, labels, frameon=False, title="pruning", loc="outside right upper")
    return figure


def sample_sizes() -> Figure:
    """SHD and TPR over the number of rows, 20 variables: joint effects above, additive ones below."""
    cells = read()
    sizes = {300: "-n300", 1000: "-n1000", 3000: "", 10_000: "-n10000"}
    figure, axes = plt.subplots(2, 2, figsize=(9, 5.6), sharex=True, layout="constrained")
    methods = ("default", "additive", "CAM", "MCSL-MLP")
    for (model, reading), row in zip((("gp", "joint"), ("gp-add", "additive")), axes, strict=True):
        for method, colour in zip(methods, COLOURS, strict=False):
            for graph, style in (("ER1", "-"), ("ER4", ":")):
                for ax, metric in zip(row, ("shd", "tpr"), strict=True):
                    means = {
                        n: np.mean(values)
                        for n, suffix in sizes.items()
                        if (values := _values(cells, f"{model}-{graph}-20{suffix}", method, metric))
                    }
                    if len(means) > 1:
                        line = {"ls": style, "marker": ".", "color": colour, "label": f"{method}, {graph}"}
                        ax.plot(*zip(*means.items(), strict=True), **line)
        for ax, metric in zip(row, ("SHD", "TPR"), strict=True):
            ax.set(xscale="log", ylabel=metric, title=f"{reading} effects")
            ax.set_xticks(list(sizes), [f"{n:,}" for n in sizes])
            ax.minorticks_off()
            _tidy(ax)
    for ax in axes[1]:
        ax.set_xlabel("rows")
    if axes[0][0].lines:
        _legend_beside(figure, axes[0][0])
    return figure


def training_time() -> Figure:
    """Median seconds of a run over the number of variables, all scalar data of 3000 rows."""
    cells = read()
    figure, ax = plt.subplots(figsize=(6.2, 3.4), layout="constrained")
    methods = ("default", "additive", "MCSL-MLP", "GraN-DAG", "NOTEARS-MLP", "CAM", "PC", "GES")
    for method, colour in zip(methods, COLOURS, strict=True):
        medians = {d: median_seconds(runs_of_size(cells, method, d)) for d in (10, 20, 50, 100)}
        ended = {d: median for d, median in medians.items() if median is not None and np.isfinite(median)}
        if ended:
            ax.plot(*zip(*ended.items(), strict=True), marker=".", color=colour, label=method)
    ax.set(xscale="log", yscale="log", xlabel="variables", ylabel="seconds, median")
    ax.set_xticks([10, 20, 50, 100], ["10", "20", "50", "100"])
    ax.minorticks_off()
    _legend_beside(figure, ax)
    _tidy(ax)
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    draw.__name__.replace("_", "-"): draw
    for draw in (
        overview,
        gumbel_sigmoid,
        quadratic,
        vectors,
        post_nonlinear,
        training_trajectories,
        sample_sizes,
        sigmoid_matrices,
        pruning,
        training_time,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FIGURES))
    names = parser.parse_args().names
    if unknown := set(names) - FIGURES.keys():
        parser.error(f"no figure is called {min(unknown)!r}. Choose from {', '.join(FIGURES)}.")
    for name in names or FIGURES:
        figure = FIGURES[name]()
        # Without a date and with ids of its own, the same figures give the same file.
        with plt.rc_context({"svg.hashsalt": name}):
            figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
        figure.savefig(FOLDER / f"{name}.png", dpi=130)
        plt.close(figure)


def _training(mask: str, scenario: str) -> dict:
    return next(run for run in lines.read(TRAINING) if (run["mask"], run["scenario"]) == (mask, scenario))


def _values(cells: Cells, scenario: str, method: str, metric: str) -> list[float]:
    return [run[metric] for run in cells.get((scenario, False, method), []) if run["status"] == "ok"]


def _shd(cells: Cells, scenario: str, method: str) -> list[float]:
    return _values(cells, scenario, method, "shd")


def _pruned(cells: Cells, scenario: str) -> list[dict]:
    return [run for run in cells.get((scenario, False, "MCSL-MLP"), []) if "before_pruning" in run]


def _legend_beside(figure: Figure, ax: Axes) -> None:
    figure.legend(*ax.get_legend_handles_labels(), frameon=False, fontsize=8, loc="outside right center")


def _tidy(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    ax.set_axisbelow(True)


if __name__ == "__main__":
    main()

"""Remake the outputs and pictures of docs/root-cause.md: `python docs/root_cause.py`."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from matplotlib.figure import Figure
from refresh import refresh

PAGE = Path(__file__).with_name("root-cause.md")
IMAGES = PAGE.with_name("images")
COLORS = {"site": "#22313F", "search": "#0072B2", "catalogue": "#D55E00", "ads": "#8A8A8A"}


def draw_series(place: Path) -> None:
    """Draw the last rows of normal operation and the incident, each service beside its normal mean."""
    normal, incident = (pl.read_csv(place / name) for name in ("normal.csv", "incident.csv"))
    rows = pl.concat([normal.tail(40), incident])
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    ax.axvspan(39.5, len(rows) - 0.5, color="#FCE6D6", lw=0)
    for name, color in COLORS.items():
        ax.plot(rows[name] / normal[name].mean(), color=color, label=name, lw=1.5, marker=".", ms=4)
    ax.set_xlabel("minute")
    ax.set_ylabel("latency / normal mean")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="upper left", ncols=2)
    figure.savefig(IMAGES / "root_cause_series.png", dpi=150)


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        page = refresh(PAGE.read_text(encoding="utf-8"), Path(name))
        draw_series(Path(name))
        shutil.copyfile(Path(name) / "graph.png", IMAGES / "root_cause_graph.png")
    PAGE.write_text(page, encoding="utf-8")

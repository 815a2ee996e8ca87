"""`mcsl learn`: from a table to a directory with the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from mcsl.cli.choices import MechanismName, MissingRows, PrunerName, RecipeName, ScoreName, build_recipe
from mcsl.cli.knowledge import ForbiddenEdges, KnowledgeFile, RequiredEdges, build_knowledge
from mcsl.cli.layout import (
    GroupByPrefix,
    GroupsFile,
    Lags,
    MaxGap,
    Memory,
    Resample,
    SeriesColumn,
    TimeColumn,
    build_groups,
    read_rows,
)
from mcsl.cli.stability import NumberOfHalves, count
from mcsl.memory import DEFAULT_MEMORY

if TYPE_CHECKING:
    from mcsl.data import Dataset, LongTable, SeriesTable
    from mcsl.recipe import Recipe
    from mcsl.result import Result


def learn(
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Argument(
            help="Table of numbers, a row per sample: CSV, TSV (any delimiter) or Parquet.",
            metavar="DATA",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Directory to write the results into.", metavar="DIR", show_default=False)
    ],
    recipe: Annotated[
        RecipeName,
        typer.Option(help="Settings to start from; what follows marked * makes the default `masked`."),
    ] = "default",
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="The same seed gives the same graph.", metavar="N")
    ] = 0,
    mechanism: Annotated[
        MechanismName | None,
        typer.Option(
            help="* How networks get effects from causes. [default: the recipe's]", show_default=False
        ),
    ] = None,
    score: Annotated[
        ScoreName | None,
        typer.Option(
            help="What measures the fit. Least squares assumes that all variables share one unit and one "
            "noise variance, and needs --no-standardize. [default: the recipe's]",
            show_default=False,
        ),
    ] = None,
    sparsity: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="* Price of an edge in training: more gives fewer edges. [default: the recipe's]",
            metavar="X",
            show_default=False,
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="* Seeds that networks train from, side by side; the best is taken. [default: the recipe's]",
            metavar="N",
            show_default=False,
        ),
    ] = None,
    prune: Annotated[
        PrunerName | None,
        typer.Option(help="Test that removes needless edges. [default: the recipe's]", show_default=False),
    ] = None,
    standardize: Annotated[
        bool | None,
        typer.Option(
            "--standardize/--no-standardize",
            help="Bring every column to mean 0 and deviation 1. [default: the recipe's]",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Column to leave out; may be given several times.", metavar="NAME", show_default=False
        ),
    ] = None,
    missing: MissingRows = "refuse",
    memory: Memory = DEFAULT_MEMORY,
    groups: GroupsFile = None,
    group_by_prefix: GroupByPrefix = None,
    lags: Lags = 0,
    series_column: SeriesColumn = None,
    time_column: TimeColumn = None,
    resample: Resample = None,
    max_gap: MaxGap = None,
    knowledge: KnowledgeFile = None,
    require: RequiredEdges = None,
    forbid: ForbiddenEdges = None,
    stability: NumberOfHalves = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write report.html, the results as a page to explore.")
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on where an interrupted run of the same command stopped, to the same results.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results in DIR.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log what is done, and trace errors.")] = False,
) -> None:
    """Learn the causal graph behind a table.

    Writes adjacency.csv (row causes column), edges.csv, probabilities.csv, trace.csv, result.json and
    result.mcsl (all of it with the fitted model) into DIR, and prints the edges and how far to trust them.
    With --lags also lags.csv: which lags of each edge matter. With --report also report.html, which opens in
    any browser and needs no network.
    """
    from dataclasses import replace

    from mcsl.checkpoint import DIRECTORY, Checkpoint
    from mcsl.cli.session import interrupted_by_sigterm, logging_to_stderr
    from mcsl.data import LongTable
    from mcsl.outputs import check_directory, write_result
    from mcsl.outputs.files import is_unfinished
    from mcsl.stability import HalfSamples

    with logging_to_stderr(verbose, quiet=quiet), interrupted_by_sigterm():
        steps = Checkpoint(out / DIRECTORY, resume=resume)
        unfinished = is_unfinished(out, halves=bool(stability))
        overwrite = force or (resume and unfinished)
        check_directory(out, force=overwrite)
        if resume and not unfinished and not quiet:
            typer.echo(f"There is nothing to resume in {out}; starting from the beginning.", err=True)
        table = read_rows(
            data,
            drop=drop or (),
            allow_missing=missing != "refuse",
            lags=lags,
            series=series_column,
            time=time_column,
            resample=resample,
            max_gap=max_gap,
            memory=memory,
            seed=seed,
        )
        grouped, names = build_groups(groups, group_by_prefix, table.names)
        chosen = build_recipe(
            recipe,
            len(names),
            mechanism=mechanism,
            score=score,
            pruner=prune,
            sparsity_weight=sparsity,
            restarts=restarts,
            standardize=standardize,
        )
        known = build_knowledge(knowledge, require, forbid, names)
        options: dict[str, Any] = {
            "groups": grouped,
            "lags": lags,
            "knowledge": known,
            "missing": missing,
            "memory": memory,
        }
        halves = None
        if stability:
            rows = table.sample if isinstance(table, LongTable) else table
            halves = HalfSamples.of(rows, chosen, stability, seed=seed, directory=out, force=force, **options)
        result = None
        try:
            result = run(table, chosen, seed=seed, quiet=quiet, checkpoint=steps, **options)
            if halves:
                result = replace(result, stability=count(halves, quiet=quiet))
            also = {}
            if report:
                from mcsl.outputs.report import report_html

                also["report.html"] = report_html(result, command=context.obj)
            write_result(result, out, force=overwrite, command=context.obj, also=also)
        except KeyboardInterrupt as interrupt:
            best = getattr(interrupt, "result", result)
            resumable = is_unfinished(out, halves=bool(stability))
            stop(best, out, force=overwrite, command=context.obj, resumable=resumable)
        steps.remove()
    if not quiet:
        from mcsl.cli.printing import print_result

        print_result(result)
        typer.echo(f"Results are in {out}.")


def stop(best: Result | None, out: Path, *, force: bool, command: str, resumable: bool) -> NoReturn:
    """Write the best graph so far, if there is one, and say what is left to do."""
    from dataclasses import replace

    from mcsl.cli.session import StoppedError
    from mcsl.outputs import write_result

    said = "Interrupted before there was a graph"
    if best is not None:
        # Fitting its model would take a while, and whoever interrupts does not want to wait.
        write_result(replace(best, problem=None), out, force=force, command=command)
        said = f"Interrupted; the best graph so far is in {out}"
    command = command if command.endswith(" --resume") else f"{command} --resume"
    raise StoppedError(f"{said}; go on with `{command}`." if resumable else f"{said}.")


def run(
    table: Dataset | LongTable | SeriesTable,
    recipe: Recipe,
    *,
    seed: int,
    quiet: bool = False,
    **options: Any,
) -> Result:
    """Learn with a progress bar and with JAX's compilations kept for the next time."""
    from mcsl.cli.progress import ProgressBar
    from mcsl.cli.session import keep_compilations
    from mcsl.learning import learn

    if recipe.schedule is not None:
        keep_compilations()
    with ProgressBar(quiet=quiet, n_restarts=recipe.restarts) as bar:
        return learn(table, recipe, seed=seed, observers=[bar], **options)

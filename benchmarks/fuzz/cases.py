"""Files that are wrong in every way that a seed draws: valid ones of each kind, broken by chance."""

import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import mcsl
from mcsl.outputs.files import to_matrix_csv
from mcsl.outputs.saving import to_bytes

NAMES = ("a", "b", "c", "d.x", "d.y", "time")
ODD_CELLS = (
    "", " ", "NaN", "inf", "-inf", "1e400", "-1e-400", "1e38", "1_000", "0x10", "1,5", "٣", "１２", "\x00",
    "\x85", "\u2028", '"', '""', '"open', "'", "a,b", "\t", "\r", "\n", "\r\n", ";", "|", "2024-01-01",
    "12:30", "true", "TRUE", "null", "-", "?", "#", "=1+1", "<script>", "../../x", "[/red]", "é",
    "x" * 5000, "9" * 400,
)  # fmt: skip
ODD_VALUES = (
    None, True, False, 0, -1, 2, 10**30, 1.5, float("nan"), float("inf"), "", "a", "b", "nan", "x" * 300,
    "\ud800", "../../x", [], [[]], {}, {"a": 1}, [None], ["a"], ["a", "a"], [["a", "b"]],
    [["a", "b", "c"]], [1, 2], {"": []},
)  # fmt: skip


class Case(NamedTuple):
    """One file, and which reader is to read it."""

    reader: str
    name: str
    content: bytes


def draw(seed: int) -> Case:
    """Return the case of a seed."""
    rng = random.Random(seed)
    reader = rng.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
    name, content = KINDS[reader][1](rng)
    alphabet = rng.choice([bytes(range(256)), b"0123456789.,;\t\n\"'-[]{}:abx "])
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 5, 20])):
        content = _damaged(content, alphabet, rng)
    return Case(reader, name, content)


def _damaged(content: bytes, alphabet: bytes, rng: random.Random) -> bytes:
    """Change some bytes, or lose, repeat, insert or swap a part."""
    at = rng.randrange(len(content) + 1)
    end = min(len(content), at + rng.choice([1, 1, 2, 8, 64, 4096]))
    odd = rng.choice(ODD_CELLS).encode()
    number = struct.pack("<Q", rng.choice([0, 2**31 - 1, 2**32 - 1, 2**63]))
    return rng.choice(
        [
            content[:at] + bytes(rng.choices(alphabet, k=end - at)) + content[end:],
            content[:at] + content[end:],
            content[:end] + content[at:end] + content[end:],
            content[:at] + odd + content[at:],
            content[:at] + odd + content[end:],
            content[:at],
            content[at:],
            content[:at] + number + content[at + 8 :] if len(alphabet) == 256 else content,
        ]
    )


def _table(rng: random.Random) -> tuple[str, bytes]:
    """Delimited text whose cells, widths, header, quotes and line ends may all be odd."""
    n_columns, n_rows = rng.choice([1, 2, 3, 3, 4, 6, 40]), rng.choice([0, 1, 19, *[25, 30, 60, 120] * 3])
    delimiter = rng.choice([",", ",", ",", "\t", ";", "|", " ", "  "])
    line_end = rng.choice(["\n", "\n", "\r\n", "\r"])
    oddness = rng.choice([*[0.0] * 8, 0.002, 0.02, 0.3, 1.0])
    raggedness = rng.choice([*[0.0] * 9, 0.05])
    odd_kinds = ["count", "constant", "large", "truth", "day"]
    kinds = [rng.choice(odd_kinds) if rng.random() < 0.1 else "normal" for _ in range(n_columns)]

    def cell(row: int, column: int) -> str:
        if rng.random() < oddness:
            return rng.choice(ODD_CELLS)
        text = {
            "count": str(row),
            "constant": "5",
            "large": f"{rng.gauss(0, 1) * 1e30:.3g}",
            "truth": str(rng.random() < 0.5),
            "day": str(date(2024, 1, 1) + timedelta(days=row)),
        }.get(kinds[column], f"{rng.gauss(0, 1):.4g}")
        return f'"{text}"' if rng.random() < oddness else text

    header = [rng.choice(ODD_CELLS) if rng.random() < 0.05 else f"x{k}" for k in range(n_columns)]
    header = [NAMES[k % 6] if rng.random() < 0.2 else name for k, name in enumerate(header)]
    rows = [[cell(row, column) for column in range(n_columns)] for row in range(n_rows)]
    rows = [row[: rng.randrange(n_columns + 1)] if rng.random() < raggedness else row for row in rows]
    lines = [delimiter.join(row) for row in ([header, *rows] if rng.random() < 0.8 else rows)]
    text = rng.choice([""] * 8 + ["\ufeff", "# note\n"]) + line_end.join(lines) + rng.choice(["", line_end])
    encoding = rng.choice(["utf-8"] * 18 + ["utf-16", "latin-1"])
    name = rng.choice(["table.csv"] * 8 + ["table.tsv", "table.txt", "table.parquet", "table"])
    return name, text.encode(encoding, "replace")


def _parquet(rng: random.Random) -> tuple[str, bytes]:
    """Parquet with columns of all kinds."""
    n_rows = rng.choice([0, 1, 25, 60])
    numbers = np.random.default_rng(rng.randrange(2**32))
    makers: list[Callable[[], Any]] = [
        lambda: numbers.normal(size=n_rows),
        lambda: numbers.normal(size=n_rows),
        lambda: numbers.normal(size=n_rows).astype(np.float32),
        lambda: np.where(numbers.random(n_rows) < 0.1, np.nan, 1.0),
        lambda: pl.Series([None if k % 5 else k for k in range(n_rows)], dtype=pl.Int64),
        lambda: np.full(n_rows, np.inf),
        lambda: numbers.integers(0, 2, n_rows).astype(bool),
        lambda: numbers.integers(0, 2**63, n_rows).astype(np.uint64),
        lambda: [str(k) for k in range(n_rows)],
        lambda: pl.Series([None] * n_rows, dtype=pl.Null),
        lambda: pl.Series([[k] for k in range(n_rows)], dtype=pl.List(pl.Int64)),
        lambda: pl.Series([{"u": k} for k in range(n_rows)], dtype=pl.Struct({"u": pl.Int64})),
        lambda: pl.Series([date(2024, 1, 1) + timedelta(days=k) for k in range(n_rows)], dtype=pl.Date),
        lambda: pl.Series([timedelta(seconds=k) for k in range(n_rows)], dtype=pl.Duration),
        lambda: pl.Series([b"\x00"] * n_rows, dtype=pl.Binary),
        lambda: pl.Series([str(k % 3) for k in range(n_rows)], dtype=pl.Categorical),
    ]
    names = rng.sample([*NAMES, "", " ", "x" * 1000, "é\n"], rng.randrange(1, 6))
    usual = rng.random() < 0.4
    frame = pl.DataFrame({name: (makers[0] if usual else rng.choice(makers))() for name in names})
    content = io.BytesIO()
    frame.write_parquet(content, compression=rng.choice(["zstd", "uncompressed", "snappy", "gzip"]))
    return rng.choice(["table.parquet", "table.pq", "table.csv"]), content.getvalue()


def _long(rng: random.Random) -> tuple[str, bytes]:
    """Parquet of more rows than the reader is allowed to hold."""
    values = np.random.default_rng(rng.randrange(2**32)).normal(size=(4000, 3))
    if rng.random() < 0.5:
        values[rng.randrange(4000), rng.randrange(3)] = rng.choice([np.nan, np.inf, 1e300])
    frame = pl.DataFrame(values, schema=["a", "b", "c"])
    if rng.random() < 0.2:
        frame = frame.with_columns(pl.lit(rng.choice(["text", 1.0, None])).alias("d"))
    content = io.BytesIO()
    frame.write_parquet(content, row_group_size=rng.choice([100, 1500, 4000]))
    return "long.parquet", content.getvalue()


def _spoiled(value: Any, rng: random.Random, odds: float) -> Any:
    """Replace parts of a JSON document by what does not belong there, and lose or repeat others."""
    if rng.random() < odds:
        return rng.choice(ODD_VALUES)
    if isinstance(value, dict):
        kept = {k: _spoiled(v, rng, odds) for k, v in value.items() if rng.random() > odds / 2}
        return {**kept, "odd": 1} if rng.random() < odds / 2 else kept
    if isinstance(value, list):
        spoiled = [_spoiled(item, rng, odds) for item in value if rng.random() > odds / 4]
        return spoiled * 2 if rng.random() < odds / 4 else spoiled
    return value


def _json(value: Any, rng: random.Random) -> bytes:
    if rng.random() < 0.02:
        return b"[" * 100_000
    return json.dumps(_spoiled(value, rng, rng.choice([0.0, 0.05, 0.2, 0.5]))).encode()


def _groups(rng: random.Random) -> tuple[str, bytes]:
    return "groups.json", _json({"d": ["d.x", "d.y"], "ab": ["a", "b"]}, rng)


def _knowledge(rng: random.Random) -> tuple[str, bytes]:
    known = {"required": [["a", "b"], ["b", "c"]], "forbidden": [["c", "a"]], "tiers": [["a"], ["b", "c"]]}
    document = {**known, "roots": ["a"], "leaves": ["c"]}
    return rng.choice(["known.json", "known.yaml", "known.yml"]), _json(document, rng)


def _graph(rng: random.Random) -> tuple[str, bytes]:
    """An adjacency matrix, GML, GraphML or JSON, cyclic at times."""
    names = [rng.choice([f"v{k}", f"v{k}", rng.choice(ODD_CELLS)]) for k in range(rng.randrange(1, 6))]
    matrix = [[int(rng.random() < 0.3) for _ in names] for _ in names]
    edges = [(names[i], names[j]) for i, row in enumerate(matrix) for j, edge in enumerate(row) if edge]
    suffix = rng.choice([".csv", ".csv", ".gml", ".graphml", ".json"])
    nodes = range(len(names))
    text = {
        ".csv": lambda: to_matrix_csv(matrix, names),
        ".json": lambda: _json({"variables": names, "edges": [list(edge) for edge in edges]}, rng).decode(),
        ".gml": lambda: (
            "graph [ directed 1\n"
            + "".join(f'node [ id {k} label "{names[k]}" ]\n' for k in nodes)
            + "".join(f"edge [ source {i} target {j} ]\n" for i in nodes for j in nodes if matrix[i][j])
            + "]"
        ),
        ".graphml": lambda: (
            '<graphml><graph edgedefault="directed">'
            + "".join(f'<node id="{name}"/>' for name in names)
            + "".join(f'<edge source="{a}" target="{b}"/>' for a, b in edges)
            + "</graph></graphml>"
        ),
    }[suffix]()
    return f"graph{suffix}", text.encode("utf-8", "replace")


def _metrics(rng: random.Random) -> tuple[str, bytes]:
    columns = [
        (rng.choice("abc"), rng.choice(["cpu", "latency"]), rng.choice(["avg", "p90"])) for _ in range(6)
    ]
    head = [["", *level] for level in zip(*columns, strict=True)][: rng.randrange(1, 4)]
    body = [[str(k), *(f"{rng.gauss(0, 1):.3g}" for _ in columns)] for k in range(rng.choice([0, 3, 30]))]
    odd = rng.choice([0.0, 0.05])
    rows = [[rng.choice(ODD_CELLS) if rng.random() < odd else cell for cell in row] for row in [*head, *body]]
    return "metrics.csv", "\n".join(",".join(row) for row in rows).encode()


@cache
def valid_result() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the document and the arrays of a real result file."""
    from safetensors.numpy import load

    table = mcsl.simulate("gp-add", n_variables=4, degree=1.5, n_samples=60, seed=0).dataset
    with zipfile.ZipFile(io.BytesIO(to_bytes(mcsl.learn(table, mcsl.Recipe.additive())))) as archive:
        return json.loads(archive.read("result.json")), load(archive.read("arrays.safetensors"))


def _result(rng: random.Random) -> tuple[str, bytes]:
    """A result file whose document, arrays or archive may be wrong."""
    from safetensors.numpy import save

    document, arrays = valid_result()
    spoil = rng.choice(["document", "arrays", "archive", "names"])
    text = _json(document, rng) if spoil == "document" else json.dumps(document).encode()
    if spoil == "names":
        text = text.replace(b'"x1"', json.dumps(rng.choice(ODD_CELLS)).encode())
    if spoil == "arrays":
        arrays = {name: _spoiled_array(array, rng) for name, array in arrays.items() if rng.random() > 0.01}
    tensors = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    if spoil == "arrays" and rng.random() < 0.3:
        header = {"adjacency": {"dtype": "F64", "shape": [2**40, 2**20], "data_offsets": [0, 2**60]}}
        tensors = (
            struct.pack("<Q", rng.choice([len(json.dumps(header)), 2**62])) + json.dumps(header).encode()
        )
    return "result.mcsl", _archive(text, tensors, rng, tricks=spoil == "archive")


def _spoiled_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    if rng.random() > 0.1:
        return array
    return rng.choice(
        [
            array[:0],
            array.astype(np.float32),
            array.astype(np.int64),
            np.full(array.shape, np.nan),
            np.full(array.shape, np.inf),
            np.ones_like(array),
            -np.ones(array.shape),
            array.ravel(),
            array[None],
            np.zeros((0, 5)),
        ]
    )


def _archive(text: bytes, tensors: bytes, rng: random.Random, *, tricks: bool) -> bytes:
    content = io.BytesIO()
    method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(content, "w", method) as archive:
        members = [("result.json", text), ("arrays.safetensors", tensors)]
        if tricks:
            more = [("../../evil", b"x"), ("/etc/evil", b"x"), ("C:\\evil", b"x"), ("result.json/", b"")]
            members += rng.sample(more, 2)
            bomb = ("result.json", b" " * 2**24)
            members[0] = rng.choice([members[0], bomb, ("Result.json", text), ("result.json\x00.txt", text)])
        for name, part in members:
            archive.writestr(zipfile.ZipInfo(name), part, method)
    packed = content.getvalue()
    if not tricks:
        return packed
    declared = struct.pack("<I", len(text)), struct.pack("<I", rng.choice([0, 1, 2**31, 2**32 - 1]))
    flagged = packed.replace(b"PK\x01\x02\x14\x00\x14\x00\x00", b"PK\x01\x02\x14\x00\x14\x00\x01")
    checked = packed.replace(struct.pack("<I", zlib.crc32(text)), b"\0\0\0\0")
    return rng.choice([packed, packed.replace(*declared), flagged, checked, b"MZ" * 100 + packed, packed * 2])


KINDS: dict[str, tuple[int, Callable[[random.Random], tuple[str, bytes]]]] = {
    "table": (30, _table),
    "series": (10, _table),
    "parquet": (15, _parquet),
    "long table": (3, _long),
    "groups": (8, _groups),
    "knowledge": (8, _knowledge),
    "graph": (8, _graph),
    "metrics": (4, _metrics),
    "result": (14, _result),
    "learn": (3, _table),
}
"""What is read, with its share of the cases."""

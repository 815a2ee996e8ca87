"""Every form of file that is read, and every one that is refused, with the sentence it is refused with."""

import codecs
import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mcsl.data import MIN_SAMPLES, read_table, to_dataset
from mcsl.errors import DataError

VALUES = np.random.default_rng(0).normal(size=(25, 3)).round(6)


def lines(delimiter=",", header="a,b,c", values=VALUES):
    rows = [delimiter.join(repr(float(v)) for v in row) for row in values]
    return ([header.replace(",", delimiter)] if header else []) + rows


def written(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(path, **options):
    with pytest.raises(DataError) as caught:
        read_table(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", " ", "   ", ", "])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tail", ["", "\n", "\n\n  \n"])
def test_any_delimiter_and_line_ending(tmp_path, delimiter, ending, tail):
    text = ("\n".join(lines(delimiter)) + tail).replace("\n", ending)
    table = read_table(written(tmp_path, text))
    assert table.names == ("a", "b", "c")
    np.testing.assert_array_equal(table.values, VALUES)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ('Größe,温度,"a, b"', ("Größe", "温度", "a, b")),
        ('"say ""hi""",two words,c', ('say "hi"', "two words", "c")),
        ('"over\ntwo lines",b,c', ("over\ntwo lines", "b", "c")),
        ("0,1,2", ("0", "1", "2")),
        ("1,2,3", ("1", "2", "3")),
        ("2019,2020,total", ("2019", "2020", "total")),
    ],
)
def test_names(tmp_path, header, names):
    table = read_table(written(tmp_path, "\n".join([header, *lines(header="")])))
    assert table.names == names
    np.testing.assert_array_equal(table.values, VALUES)


def test_names_that_are_numbers_are_not_taken_for_a_row_and_rows_not_for_names(tmp_path, caplog):
    table = read_table(written(tmp_path, "\n".join(lines(header=""))))
    assert table.names == ("x1", "x2", "x3")
    assert table.n_samples == len(VALUES)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "has no header: its columns are named x1 to x3." in caplog.text


@pytest.mark.parametrize("header", ["2019,2020,2021", "10,200,-3", "2019,2020,2021,"])
def test_whole_numbers_are_names_where_those_below_are_not(tmp_path, caplog, header):
    tail = "," if header.endswith(",") else ""
    rows = [row + tail for row in lines(header="")]
    table = read_table(written(tmp_path, "\n".join([header, *rows])))
    assert table.names == tuple(header.strip(",").split(","))
    np.testing.assert_array_equal(table.values, VALUES)
    names = ", ".join(map(repr, table.names[:2])) + f" and {table.names[2]!r}"
    assert f"are taken for names: columns {names}." in caplog.text


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_whole_numbers_may_happen_among_others(tmp_path, caplog, delimiter):
    # One cell in three is whole, so that a whole row is no wonder.
    rows = [["2019", "2020", "2021"]] + [[f"{i}", f"{i / 3:.6g}", f"{i * i / 3:.6g}"] for i in range(1, 40)]
    text = "\n".join(delimiter.join(row) for row in rows)
    table = read_table(written(tmp_path, text.replace(".", ",") if delimiter == ";" else text))
    assert table.names == ("x1", "x2", "x3")
    assert table.n_samples == 40
    assert "has no header" in caplog.text


@pytest.mark.parametrize("first", ["0.5,NA,0.25", "0.5,,0.25", ",0.5,0.25", "?,-,7", "0.5,0.25,"])
def test_a_first_row_with_missing_values_is_a_row(tmp_path, caplog, first):
    table = read_table(written(tmp_path, "\n".join([first, *lines(header="")])), allow_missing=True)
    assert table.names == ("x1", "x2", "x3")
    assert table.n_samples == len(VALUES) + 1
    assert np.isnan(table.values[0]).any()
    assert "has no header" in caplog.text


@pytest.mark.parametrize("index", [range(25), range(1, 26), [f"day {i}" for i in range(25)]], ids=str)
def test_numbers_beside_an_index_without_a_name_are_names(tmp_path, index):
    rows = [f"{label},{i % 3},{i % 5}" for i, label in enumerate(index)]
    table = read_table(written(tmp_path, "\n".join([",7,8", *rows])), drop=["Unnamed: 0"])
    assert table.names == ("7", "8")
    assert table.n_samples == 25


def test_a_delimiter_at_the_end_of_every_row_without_a_header(tmp_path):
    table = read_table(written(tmp_path, "\n".join(row + "," for row in lines(header=""))))
    assert table.names == ("x1", "x2", "x3")
    np.testing.assert_array_equal(table.values, VALUES)


def test_byte_order_mark(tmp_path):
    path = written(tmp_path, codecs.BOM_UTF8 + "\n".join(lines()).encode())
    assert read_table(path).names == ("a", "b", "c")


@pytest.mark.parametrize("header", ["a,b,c,", "a,b,c"])
def test_delimiter_at_the_end_of_every_line(tmp_path, header):
    table = read_table(written(tmp_path, "\n".join([header, *(row + "," for row in lines(header=""))])))
    assert table.names == ("a", "b", "c")


def test_blank_lines_between_rows_are_skipped_and_still_counted(tmp_path):
    rows = lines()
    rows[3:3] = ["", "   "]
    np.testing.assert_array_equal(read_table(written(tmp_path, "\n".join(rows))).values, VALUES)
    rows[10] = "1,x,2"
    assert "'x' in line 11;" in refusal(written(tmp_path, "\n".join(rows)))


@pytest.mark.parametrize("header", ["a;b;c", ""])
def test_decimal_comma_between_semicolons(tmp_path, header):
    text = "\n".join(lines(";", header)).replace(".", ",")
    np.testing.assert_array_equal(read_table(written(tmp_path, text)).values, VALUES)


def test_decimal_commas_between_tabs_are_refused_by_name(tmp_path):
    rows = "\n".join(lines("\t", "a\tb\tc")).replace(".", ",")
    path = written(tmp_path, rows.replace("\n", "\t1\n").replace("c\t1", "c\td") + "\t2")
    assert "hold decimal commas, for example" in refusal(path)
    assert "; write them with points, save the table with semicolons between its cells, or" in refusal(path)
    path.write_text(rows)
    assert refusal(path).endswith(
        "; write them with points, or save the table with semicolons between its cells."
    )


def test_commas_that_may_part_thousands_are_text(tmp_path):
    path = written(tmp_path, "\n".join(["a\tb", *(f"{k}\t{k % 9 + 1},{100 + k}" for k in range(25))]))
    assert "Column 'b'" in refusal(path)
    assert "holds text, for example" in refusal(path)


def test_a_title_above_the_header_is_suspected(tmp_path):
    path = written(tmp_path, "\n".join(["Weights of 2024", *lines()]))
    assert refusal(path).endswith("if line 1 is a title, delete it.")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("header", ["a,b,c", ""])
def test_the_first_line_may_tell_the_delimiter_as_excel_does(tmp_path, delimiter, header):
    rows = [f"sep={delimiter}", *lines(delimiter, header)]
    path = written(tmp_path, "\r\n".join(rows))
    table = read_table(path)
    assert table.names == (("a", "b", "c") if header else ("x1", "x2", "x3"))
    np.testing.assert_array_equal(table.values, VALUES)
    path.write_text("\n".join([*rows, delimiter.join("1x3")]))
    assert f"'x' in line {len(rows) + 1};" in refusal(path)


COMMAS_TWICE = "if commas are decimal marks too, write points, or part the cells by semicolons"


@pytest.mark.parametrize(
    ("row", "place", "advice"),
    [
        ("1,134,0,607,0,590", 1, COMMAS_TWICE),
        ("1,134,0,607,12", 1, COMMAS_TWICE),
        ("1,2,3,4", 9, "put cells that hold a comma in quotation marks"),
        ("Oslo,1,2,3.5", 1, "name every column in line 1, or put cells that hold a comma in quotation marks"),
        ("1,2", 9, "complete or remove it"),
    ],
)
def test_ragged_lines_come_with_what_to_do(tmp_path, row, place, advice):
    rows = lines()
    rows[place:place] = [row]
    n_cells = row.count(",") + 1
    path = written(tmp_path, "\n".join(rows))
    assert refusal(path) == (
        f"Line {place + 1} of {path} has {n_cells} cells where the table has 3 columns; {advice}."
    )


@pytest.mark.parametrize("units", ["mm,kg,s", "mm,,-", "x,(s),[1]"])
def test_units_below_the_names_are_refused_as_one_line(tmp_path, units):
    path = written(tmp_path, "\n".join(["a,b,c", units, *lines(header="")]))
    assert f"Line 2 of {path} holds no numbers, for example" in refusal(path)
    assert refusal(path).endswith("for 'a', and looks like units; delete it.")


def test_no_table_is_to_be_left_without_columns(tmp_path):
    text = "\n".join(["a,b", *["cold,warm"] * 25])
    path = written(tmp_path, text)
    assert refusal(path) == (
        f"Columns 'a' and 'b' of {path} hold text, for example 'cold' in line 2; "
        "turn them into plain numbers."
    )
    path.write_text("\n".join(["a,b", *["1,2"] * 25]))
    assert refusal(path).endswith("which says nothing about causes; take a table whose columns vary.")
    path.write_text("\n".join(["a,b", *["NA,-"] * 25]))
    assert refusal(path).endswith("have no values; take a table with numbers.")


def test_an_empty_column_is_named_before_other_gaps(tmp_path):
    rows = [f"{a},,{c}" for a, _, c in VALUES]
    path = written(tmp_path, "\n".join(["a,b,c", "1,,", *rows]))
    assert refusal(path) == f"Column 'b' of {path} has no values; leave it out with --drop b."


def test_commas_and_points_as_decimal_marks_are_refused(tmp_path):
    thousands = [f"{v:,.0f}".replace(",", ".") for v in np.linspace(800, 5000, 25)]
    rows = [
        f"{a:.2f};{b:.2f};{n}".replace(".", ",", 2) for (a, b, _), n in zip(VALUES, thousands, strict=True)
    ]
    path = written(tmp_path, "\n".join(["a;b;c", *rows]))
    assert refusal(path) == (
        f"{path} mixes commas and points as decimal marks, such as '0,13' in line 2, column 'a', and "
        "'1.150' in line 4, column 'c'; write all numbers with one of them, and thousands without any."
    )
    assert read_table(path, drop=["c"]).names == ("a", "b")
    path.write_text("\n".join(["a;b;c", *rows[:2], *(f"{i},5;{i % 7};." for i in range(25))]))
    assert read_table(path, allow_missing=True).n_samples == 27


def test_thousands_beside_decimal_points_are_no_fault_of_the_points(tmp_path, caplog):
    thousands = [f"{v:,.0f}" for v in np.linspace(800, 5000, 25)]
    rows = [f"{n};{b};{c}" for n, (_, b, c) in zip(thousands, VALUES, strict=True)]
    path = written(tmp_path, "\n".join(["a;b;c", *rows]))
    assert refusal(path) == (
        f"{path} mixes commas and points as decimal marks, such as '1,150' in line 4, column 'a', and "
        f"'{VALUES[0, 1]}' in line 2, column 'b'; write all numbers with one of them, and thousands "
        "without any."
    )
    assert not caplog.messages
    assert read_table(path, drop=["a"]).names == ("b", "c")
    path.write_text("\n".join(["a;b", *(f"{i},5;{i}.5" if i else "0;0" for i in range(25))]))
    assert "such as '1,5' in line 3, column 'a', and '1.5' in line 3, column 'b';" in refusal(path)


@pytest.mark.parametrize(("delimiter", "mark"), [(";", ","), (";", "."), (",", "."), ("\t", ".")])
def test_marks_that_may_part_thousands_are_told(tmp_path, caplog, delimiter, mark):
    thousands = [f"{v:,.0f}".replace(",", mark) for v in np.linspace(800, 5000, 25)]
    rows = [f"{i}{delimiter}{n}" for i, n in enumerate(thousands)]
    path = written(tmp_path, "\n".join([f"a{delimiter}b", *rows]))
    assert read_table(path).values[:4, 1].tolist() == [800, 975, 1.15, 1.325]
    assert caplog.messages == [
        f"'1{mark}150' in line 4, column 'b' of {path} is read as 1.15; if it is 1150, "
        f"write the numbers of this column without {mark!r}."
    ]


@pytest.mark.parametrize("cells", ["99.993 100", "133.33 166.667 200 100", "0.125 100 200", "1.333 2 3"])
def test_decimals_among_whole_numbers_are_not_taken_for_thousands(tmp_path, caplog, cells):
    rows = [f"{i / 7},{cell}" for i, cell in enumerate(cells.split() * 20)]
    read_table(written(tmp_path, "\n".join(["a,b", *rows])))
    assert not caplog.messages


def test_booleans_and_integers_become_floats(tmp_path):
    rows = [f"{i},{i % 2 == 0},{'true' if i % 3 else 'FALSE'}" for i in range(25)]
    values = read_table(written(tmp_path, "\n".join(["a,b,c", *rows]))).values
    assert values.dtype == np.float64
    assert values[:3].tolist() == [[0, 1, 0], [1, 0, 1], [2, 1, 1]]


@settings(deadline=None, max_examples=30)
@given(hnp.arrays(np.float64, (25, 3), elements=st.floats(-1e30, 1e30, allow_subnormal=False), unique=True))
def test_written_numbers_are_read_exactly(tmp_path_factory, values):
    magnitude = np.abs(values).max(axis=0)
    assume((np.ptp(values, axis=0) > 1e-9 * magnitude).all() and (magnitude > 1e-30).all())
    path = tmp_path_factory.mktemp("exact") / "table.csv"
    pl.DataFrame(values, schema=["a", "b", "c"]).write_csv(path)
    np.testing.assert_array_equal(read_table(path).values, values)


@pytest.mark.parametrize("name", ["table.parquet", "table.pq", "no_suffix"])
def test_parquet(tmp_path, name):
    pl.DataFrame(VALUES, schema=["a", "b", "c"]).write_parquet(tmp_path / name)
    table = read_table(tmp_path / name)
    assert table.names == ("a", "b", "c")
    np.testing.assert_array_equal(table.values, VALUES)


def test_an_index_that_pandas_wrote_to_parquet_is_no_variable(tmp_path):
    frame = pd.DataFrame(VALUES, columns=["a", "b", "c"]).sample(frac=1, random_state=0)
    path = tmp_path / "table.parquet"
    frame.to_parquet(path)
    assert "__index_level_0__" in pl.read_parquet(path).columns
    tables = [pl.read_parquet(path), pl.scan_parquet(path), pl.read_parquet(path).to_arrow()]
    for table in [read_table(path), *map(to_dataset, tables)]:
        assert table.names == ("a", "b", "c")
        assert table.fingerprint() == to_dataset(frame).fingerprint()


def test_drop_leaves_columns_out(tmp_path):
    path = written(tmp_path, "\n".join(["city,a,b,c", *(f"Oslo,{row}" for row in lines(header=""))]))
    assert read_table(path, drop=["city", "b"]).names == ("a", "c")
    message = refusal(path, drop=["town"])
    assert "no column 'town'" in message
    assert "columns 'city', 'a', 'b' and 'c'" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", ["is empty"], id="empty"),
        pytest.param("\n  \n\n", ["is empty"], id="blank"),
        pytest.param("a,b,c\n", ["no rows"], id="header only"),
        pytest.param("a\n1\n2\n3\n", ["only the column 'a'", "at least two"], id="one column"),
        pytest.param("\n".join(lines()[:13]), ["12 rows", str(MIN_SAMPLES)], id="few rows"),
        pytest.param("\n".join([*lines(), "1,2"]), ["Line 27", "2 cells", "3 columns"], id="short row"),
        pytest.param("\n".join([*lines(), "1,2,3,4", "1,2,3"]), ["Line 27", "4 cells"], id="long row"),
        pytest.param(
            "\n".join([*lines(), '1,2,"3', "1,2,3"]),
            ["quotation mark in line 27 is never closed"],
            id="open quote",
        ),
        pytest.param("\n".join(["ä,b,c", *lines(header="")]).encode("latin-1"), ["not UTF-8"], id="encoding"),
        pytest.param(
            "\n".join([*lines(), "1,12..5,3"]),
            ["Column 'b'", "text", "'12..5' in line 27", "--drop b"],
            id="text",
        ),
        pytest.param(
            "\n".join(["when,my city,b", *(f"2020-01-{i + 1:02d},Oslo,{i}" for i in range(25))]),
            [
                "'when' and 'my city'",
                "dates and text",
                "'2020-01-01' in line 2",
                "--drop when --drop 'my city'",
            ],
            id="dates",
        ),
        pytest.param(
            "\n".join([*lines(), "1,,3", "NA,nan,3"]),
            ["3 missing values in 2 of 27 rows", "by column 'a' (1), 'b' (2)", "line 27, column 'b'"],
            id="missing",
        ),
        pytest.param(
            "\n".join([*lines(), "1,?,3"]), ["1 missing value in line 27, column 'b'"], id="one missing"
        ),
        pytest.param(
            "\n".join([*lines(), "1,-inf,3"]), ["1 infinite value in line 27, column 'b'"], id="infinite"
        ),
        pytest.param("\n".join([*lines(), "1,2,1e39"]), ["'c'", "1e+39 in line 27", "float32"], id="float32"),
        pytest.param(
            "\n".join(["a,b,c", *(f"{i},7,7.0" for i in range(25))]),
            ["'b' and 'c'", "same value in every row", "--drop b --drop c"],
            id="constant",
        ),
        pytest.param(
            "\n".join(["a,b,a", *lines(header="")]),
            ["Columns 1 and 3", "both named 'a'"],
            id="duplicate name",
        ),
        pytest.param(
            "\n".join(["a,b,c", *(f"{i % 7},{i},{i % 7}" for i in range(25))]),
            ["'a' and 'c'", "identical", "--drop c"],
            id="copy",
        ),
        pytest.param(
            "\n".join([",a,b", *(f"{i},{i % 3},{i % 5}" for i in range(25))]),
            ["no name", "numbers the rows", "--drop 'Unnamed: 0'"],
            id="row index",
        ),
        pytest.param(
            "\n".join(["Unnamed: 0,a,b", *(f"{i + 1},{i % 3},{i % 5}" for i in range(25))]),
            ["no name", "--drop 'Unnamed: 0'"],
            id="row index from 1",
        ),
    ],
)
def test_refused(tmp_path, text, words):
    path = written(tmp_path, text)
    message = refusal(path)
    assert str(path) in message
    for word in words:
        assert word in message


def test_positions_count_dropped_columns_too(tmp_path):
    path = written(tmp_path, "\n".join(["z,a,b,a", *(f"Oslo,{row}" for row in lines(header=""))]))
    assert "Columns 2 and 4 " in refusal(path, drop=["z"])


def test_unnamed_row_index_can_be_dropped(tmp_path):
    text = "\n".join([",a,b", *(f"{i},{i % 3},{i % 5}" for i in range(25))])
    assert read_table(written(tmp_path, text), drop=["Unnamed: 0"]).names == ("a", "b")


def test_no_such_file(tmp_path):
    assert refusal(tmp_path / "none.csv") == f"There is no file {tmp_path / 'none.csv'}."


def test_directory(tmp_path):
    assert "is a directory" in refusal(tmp_path)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything"
)
def test_unreadable(tmp_path):
    path = written(tmp_path, "\n".join(lines()))
    path.chmod(0)
    assert "Permission denied" in refusal(path)


@pytest.mark.parametrize("content", [b"PAR1 and then nothing", b"a,b\n1,2\n"])
def test_corrupt_parquet(tmp_path, content):
    assert "not a complete Parquet file" in refusal(written(tmp_path, content, "table.parquet"))


def test_parquet_messages_count_rows(tmp_path):
    frame = pl.DataFrame({"a": [1.0] * 5 + [None] * 20, "b": range(25)})
    frame.write_parquet(tmp_path / "table.parquet")
    assert "the first in row 5 (counting from 0), column 'a'" in refusal(tmp_path / "table.parquet")

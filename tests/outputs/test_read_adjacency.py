"""Adjacency matrices of our own and of other tools."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsl.errors import DataError, GraphError
from mcsl.outputs import read_adjacency, write_adjacency

EDGES = [[False, True, False], [False, False, True], [False, False, False]]
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1)


def written(tmp_path, text):
    path = tmp_path / "graph.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


@settings(deadline=None, max_examples=200)
@given(st.data(), st.integers(1, 6))
def test_names_and_edges_survive_a_round_trip(tmp_path_factory, data, d):
    names = data.draw(st.lists(NAMES, min_size=d, max_size=d, unique=True))
    matrix = np.array(data.draw(st.lists(st.booleans(), min_size=d * d, max_size=d * d))).reshape(d, d)
    path = write_adjacency(matrix.astype(int), names, tmp_path_factory.mktemp("trip") / "graph.csv")
    read, read_names = read_adjacency(path)
    assert read_names == tuple(names)
    np.testing.assert_array_equal(read, matrix)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param(",a,b,c\na,0,1,0\nb,0,0,1\nc,0,0,0\n", "abc", id="labels"),
        pytest.param(",a,b,c\nc,0,0,0\na,0,1,0\nb,0,0,1\n", "abc", id="rows in another order"),
        pytest.param("a,b,c\n0,1,0\n0,0,1\n0,0,0", "abc", id="header only"),
        pytest.param("a\tb\tc\r\n0\t1\t0\r\n0\t0\t1\r\n0\t0\t0\r\n", "abc", id="tabs"),
        pytest.param('"a" "b" "c"\n"a" 0 1 0\n"b" 0 0 1\n"c" 0 0 0\n', "abc", id="R's write.table"),
        pytest.param(",0,1,2\n0,0.0,1.0,0.0\n1,0,0,-0.3\n2,0,0,0e5\n", "012", id="numbers as names, weights"),
        pytest.param("0,1,2\n0,1,0\n0,0,1\n0,0,0\n", "012", id="numbers as header"),
        pytest.param("0 1 0\n0 0 1\n0 0 0\n", ["x1", "x2", "x3"], id="bare"),
        pytest.param("a;b;c\nFalse;True;False\nfalse;false;true\n0;0;0\n", "abc", id="booleans"),
        pytest.param("a , b,c \n0 ,1,0\n0,0, 1\n0,0,0 \n", "abc", id="blanks"),
        pytest.param(" ,a , b,c\na ,0 ,1,0\nb ,0,0, 1\nc,0,0,0 \n", "abc", id="blanks around labels"),
        pytest.param("a | b|c\n0 | 1|0\n0|0 | 1\n0|0|0\n", "abc", id="blanks and bars"),
        pytest.param("a \t b\tc\n0\t1 \t0\n0\t0\t1\n0\t0\t0\n", "abc", id="blanks and tabs"),
        pytest.param('"a" ,"b ", "c, d"\n0,1,0\n0,0,1\n0,0,0', ["a", "b ", "c, d"], id="quoted blanks"),
        pytest.param(";a;b;c\na;0;0,5;0,0\nb;0;0;-1,5e-1\nc;0;0;0\n", "abc", id="decimal commas"),
        pytest.param("0;0,5;0\n0;0;1\n0;0;0,0\n", ["x1", "x2", "x3"], id="bare decimal commas"),
        pytest.param("a,b,c\r0,1,0\r0,0,1\r0,0,0\r", "abc", id="old line ends"),
    ],
)
def test_forms_of_other_tools(tmp_path, text, names):
    matrix, read_names = read_adjacency(written(tmp_path, text))
    assert read_names == tuple(names)
    assert matrix.tolist() == EDGES


def test_pandas_frames(tmp_path):
    pd.DataFrame(EDGES, list("abc"), list("abc")).to_csv(tmp_path / "graph.csv")
    assert read_adjacency(tmp_path / "graph.csv")[0].tolist() == EDGES


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(",a,b\na,0,1\nb,0\n", ["Line 2", "3 cells", "last has 2"], id="ragged"),
        pytest.param(",a,b\na,0,1\n", ["not an adjacency matrix", "1 rows", "3 columns"], id="not square"),
        pytest.param("a,b\n0,1\n0,0\n0,0\n", ["not an adjacency matrix"], id="too many rows"),
        pytest.param(",a,b\na,0,1\nb,no,0\n", ["Line 3", "'no'", "0 for no edge"], id="text"),
        pytest.param(",a,b\na,0,nan\nb,0,0\n", ["Line 2", "'nan'"], id="nan"),
        pytest.param(",a,b\na,0,\nb,0,0\n", ["Line 2", "''"], id="empty cell"),
        pytest.param(",a,a\na,0,1\na,0,0\n", ["'a'", "more than one"], id="duplicate"),
        pytest.param(",a,b\na,0,1\nc,0,0\n", ["same names", "'c'"], id="other names"),
        pytest.param(";a;b\na;0;1.234,5\nb;0;0\n", ["Line 2", "'1.234,5'"], id="parted thousands"),
        pytest.param("cause,effect\na,b\nb,c\n", ["'a'"], id="edge list"),
    ],
)
def test_refused(tmp_path, text, words):
    path = written(tmp_path, text)
    with pytest.raises(GraphError) as caught:
        read_adjacency(path)
    for word in [str(path), *words]:
        assert word in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="no file"):
        read_adjacency(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is empty"):
        read_adjacency(written(tmp_path, ""))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        read_adjacency(tmp_path / "binary")

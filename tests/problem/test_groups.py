import json

import pytest

from mcsl.errors import DataError, SettingsError
from mcsl.problem import groups_by_prefix, read_groups
from mcsl.problem.groups import resolve_groups

COLUMNS = ("site.x", "load", "site.y", "speed.north", "speed.east")


def test_columns_in_no_group_are_variables_and_those_of_a_group_keep_its_order():
    assert resolve_groups(COLUMNS, {"site": ["site.y", "site.x"]}) == {
        "site": (2, 0),
        "load": (1,),
        "speed.north": (3,),
        "speed.east": (4,),
    }


def test_groups_by_prefix():
    groups = groups_by_prefix(COLUMNS, ".")
    assert groups == {"site": ("site.x", "site.y"), "speed": ("speed.north", "speed.east")}
    assert list(resolve_groups(COLUMNS, groups)) == ["site", "load", "speed"]


def test_a_group_may_be_called_like_a_column_it_owns():
    assert resolve_groups(("a", "b", "c"), {"a": ["a", "b"]}) == {"a": (0, 1), "c": (2,)}


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"site": ["site.z"]}, "names the column 'site.z', which the table does not have"),
        ({"p": ["site.x"], "q": ["site.x"]}, "'site.x' is in the groups 'p' and 'q'"),
        ({"p": ["site.x", "site.x"]}, "'p' twice"),
        ({"load": ["site.x", "site.y"]}, "'load' is called like a column that is not in it"),
        ({"load": ["site.x"], "other": ["load"]}, "'load' is called like a column that is not in it"),
        ({"p": "site.x"}, "must be a list of at least one column name"),
        ({"p": []}, "must be a list of at least one column name"),
        ({"p": [1]}, "must be a list of at least one column name"),
        ({"all": list(COLUMNS)}, "at least two variables"),
        (["site.x"], "must map names to lists of columns"),
    ],
)
def test_wrong_groups_are_refused(groups, message):
    with pytest.raises(SettingsError, match=message):
        resolve_groups(COLUMNS, groups)


def test_a_separator_nobody_has_is_refused():
    with pytest.raises(SettingsError, match="No column has '/' in its name"):
        groups_by_prefix(COLUMNS, "/")


def test_groups_are_read_from_json(tmp_path):
    path = tmp_path / "groups.json"
    path.write_text(json.dumps({"site": ["site.x", "site.y"]}))
    assert read_groups(path) == {"site": ("site.x", "site.y")}
    path.write_text('{"site": ["site.x",}')
    with pytest.raises(SettingsError, match=r"groups\.json cannot be read as JSON: .*line 1"):
        read_groups(path)
    path.write_text("[1, 2]")
    with pytest.raises(SettingsError, match=r"groups\.json: Groups must map names"):
        read_groups(path)
    path.write_text('{"site": ["site.x"], "site": ["site.y"]}')
    with pytest.raises(SettingsError, match=r"groups\.json has `site` twice; join them\.$"):
        read_groups(path)
    with pytest.raises(DataError, match="There is no file"):
        read_groups(tmp_path / "nothing.json")

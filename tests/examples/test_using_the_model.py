import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "using-the-model.md"


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})
    assert "on rows left out" in capsys.readouterr().out
    assert (tmp_path / "run.mcsl").exists()

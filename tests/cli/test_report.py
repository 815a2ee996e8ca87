"""`mcsl report` and `mcsl learn --report`."""

import json
import re

import numpy as np


def payload_of(page):
    return json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.DOTALL)[1])


def test_learn_writes_a_report_and_report_writes_it_again(mcsl, fake_learn, table, tmp_path):
    out = tmp_path / "out"
    outcome = mcsl("learn", table, "--out", out, "--report", "--quiet")
    assert outcome.exit_code == 0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert f"mcsl learn {table}" in page
    again = mcsl("report", out, "--out", tmp_path / "again.html")
    assert (again.exit_code, again.out) == (0, f"The report is in {tmp_path / 'again.html'}.\n")
    assert payload_of((tmp_path / "again.html").read_text(encoding="utf-8")) == payload_of(page)


def test_the_report_goes_beside_the_results(mcsl, fake_learn, table, tmp_path):
    mcsl("learn", table, "--out", tmp_path / "out", "--quiet")
    assert not (tmp_path / "out" / "report.html").exists()
    (tmp_path / "out" / "result.json").unlink()
    assert mcsl("report", tmp_path / "out").exit_code == 0
    assert "Learned from Python" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_what_is_no_result_is_refused_in_one_sentence(mcsl, tmp_path):
    for place in (tmp_path / "nowhere", tmp_path):
        outcome = mcsl("report", place)
        assert outcome.exit_code == 2
        assert outcome.err == (
            f"mcsl: {place} has no result.mcsl; name a directory that `mcsl learn ... --out DIR` wrote.\n"
        )
    (tmp_path / "result.mcsl").write_bytes(np.arange(9).tobytes())
    outcome = mcsl("report", tmp_path)
    assert outcome.exit_code == 2
    assert "is no result of mcsl, or is damaged" in outcome.err
    assert not (tmp_path / "report.html").exists()

"""Take the picture of the report that the README shows: `python docs/report_picture.py`; needs Chromium."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import mcsl

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.chromium import chromium  # noqa: E402

if __name__ == "__main__":
    simulation = mcsl.simulate("gp-add", n_variables=10, degree=1.5, n_samples=600, seed=4)
    result = mcsl.learn(simulation.dataset, mcsl.Recipe.additive())
    with TemporaryDirectory() as place, chromium() as page:
        page.resize(1280, 800)
        page.prefer("light")
        page.open(mcsl.write_report(result, Path(place) / "report.html"))
        page.click("[data-variable='9'] rect")
        page.evaluate("scrollTo(0, 0)")
        page.mouse("mouseMoved", 5, 5)
        page.screenshot(ROOT / "docs" / "images" / "report.png")

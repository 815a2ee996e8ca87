"""Chromium without a window, driven by its debugging protocol over a pipe: no package beside it is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip
# The browser listens on descriptor 3 and speaks on 4.
_LAUNCH = "import os, sys; r, w, *c = sys.argv[1:]; os.dup2(int(r), 3); os.dup2(int(w), 4); os.execv(c[0], c)"


class Page:
    """A tab: what it is asked, and everything that it has said."""

    def __init__(self, commands, answers):
        self._commands, self._answers, self._buffer, self._number = commands, answers, b"", 0
        self.session, self.events = None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Send a command and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read(60)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _read(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._answers], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError("The browser does not answer.")
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise RuntimeError("The browser has gone.")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path):
        """Open a file and wait until its script is done; return the milliseconds from navigation to there."""
        self.events.clear()
        self.call("Page.navigate", url=Path(path).absolute().as_uri())
        end = time.monotonic() + 60
        while not (ready := self.evaluate("document.documentElement?.dataset.ready ?? ''")):
            if time.monotonic() > end:
                raise TimeoutError(f"The report never came up: {self.complaints()}")
            time.sleep(0.02)
        return int(ready)

    def evaluate(self, expression):
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def middle(self, selector):
        """Return where an element is on the screen."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")

    def mouse(self, kind, x, y, **more):
        """Move, press or release the mouse, or turn its wheel."""
        buttons = {"button": "left", "clickCount": 1} if kind in ("mousePressed", "mouseReleased") else {}
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **buttons, **more)

    def click(self, selector):
        """Click on the middle of an element, as a person would."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        x, y = self.middle(selector)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y)

    def drag(self, selector, dx, dy):
        """Take hold of an element and move it."""
        x, y = self.middle(selector)
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y)
        for part in (0.3, 0.7, 1.0):
            self.mouse("mouseMoved", x + part * dx, y + part * dy, buttons=1)
        self.mouse("mouseReleased", x + dx, y + dy)

    def press(self, key, **more):
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def resize(self, width, height):
        """Set the size of the window."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)

    def prefer(self, scheme, media="screen"):
        """Prefer light or dark, on screen or paper."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def screenshot(self, path, *, whole=False):
        """Write what is seen, or the whole page, as PNG."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def complaints(self):
        """Return errors and warnings of the console, and what was thrown."""
        loud = [e for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
        said = [
            e for e in self.events
            if e.get("method") == "Runtime.consoleAPICalled" and e["params"]["type"] in ("error", "warning")
        ]  # fmt: skip
        return [event["params"] for event in loud + said]

    def requests(self):
        """Return the addresses of everything that the page asked for."""
        asked = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]


@contextmanager
def chromium():
    """Start the browser and give a tab of it."""
    to_browser, from_browser = os.pipe(), os.pipe()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        launch = [sys.executable, "-c", _LAUNCH, str(to_browser[0]), str(from_browser[1])]
        process = subprocess.Popen(
            [*launch, PROGRAM, *_FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(to_browser[0], from_browser[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser[0])
        os.close(from_browser[1])
        try:
            yield Page(to_browser[1], from_browser[0])
        finally:
            os.close(to_browser[1])
            process.terminate()
            process.wait(20)
            os.close(from_browser[0])

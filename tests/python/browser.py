# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, spoken to in its DevTools protocol over pipes: nothing else is needed."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
SECONDS = 120  # a busy machine starts a browser slowly


class Browser:
    """One page at a time. What goes wrong in it is in `errors`."""

    def __init__(self, profile: Path) -> None:
        to_browser, ours_out = os.pipe()
        ours_in, from_browser = os.pipe()
        command = [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            f"--user-data-dir={profile}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        # It reads from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._out, self._in = ours_out, ours_in
        self._held = b""
        self._last = 0
        self._session = ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        (target,) = (
            each["targetId"]
            for each in self.call("Target.getTargets")["targetInfos"]
            if each["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_) -> None:
        with contextlib.suppress(OSError):
            os.close(self._out)
        self._process.terminate()
        self._process.wait(SECONDS)
        os.close(self._in)

    def call(self, method: str, **parameters):
        """One command and its answer."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self._note(answer)

    def _receive(self) -> dict:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self._in, 1 << 20)
            assert part, "the browser is gone"
            self._held += part
        message, _, self._held = self._held.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict) -> None:
        method, found = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            values = [str(each.get("value", each.get("description"))) for each in found["args"]]
            self.errors.append(f"console.{found['type']}: {' '.join(values)}")
        elif method == "Log.entryAdded" and found["entry"]["level"] in ("warning", "error"):
            self.errors.append(found["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(found["request"]["url"])

    def open(self, path: Path, width: int = 1400, dark: bool = False, before: str = "") -> None:
        """Shows the report in a file and waits until all of it is there."""
        self.errors, self.requests = [], []
        theme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=theme)
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        added = self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=path.as_uri())
        self.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
        end = time.monotonic() + SECONDS
        while not self.run(f"location.href === {json.dumps(path.as_uri())} && READY()"):
            assert time.monotonic() < end, f"the page does not become ready: {self.errors}"
            time.sleep(0.02)
        self.run("FRAME()")

    def run(self, code: str):
        """The value of an expression in the page; a promise is waited for."""
        helpers = """
          const READY = () => "ready" in (document.documentElement?.dataset ?? {});
          const FRAME = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          const $ = (selector) => document.querySelector(selector);
          const $$ = (selector) => [...document.querySelectorAll(selector)];
          const press = (text, within = document) =>
            [...within.querySelectorAll("button")].find((each) => each.innerText === text).click();
        """
        answer = self.call(
            "Runtime.evaluate",
            expression=f"(() => {{ {helpers} return {code.strip()}; }})()",
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, **more) -> None:
        """kind: Moved, Pressed, Released, Wheel."""
        more = {"button": "none" if kind in ("Moved", "Wheel") else "left", **more}
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)
        self.run("FRAME()")

    def click(self, x: float, y: float) -> None:
        for kind in ("Moved", "Pressed", "Released"):
            self.mouse(kind, x, y, clickCount=1)

    def key(self, name: str) -> None:
        text = {"text": name} if len(name) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)
        self.run("FRAME()")

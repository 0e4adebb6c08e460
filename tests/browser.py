"""Pages in Chromium, opened as files; what tests of the report and of the review share."""

import base64
import hashlib
import importlib.util
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None or importlib.util.find_spec("selenium") is None,
    reason="needs Chromium: apt-get install chromium chromium-driver; and selenium, from "
    "requirements-dev.txt",
)


def start_chromium(folder: Path) -> Any:
    """A driver of a new browser, whose profile lies in a folder; to be quit."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        f"--disable-dev-shm-usage --user-data-dir={folder}"
    ).split(" "):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options, Service(DRIVER))


class BrowserPage:
    """A page in the browser."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, width: int, scheme: str) -> None:
        """Give the window this width, in pixels, and the reader this taste."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def open(self, path: Path, width: int = 1280, scheme: str = "light") -> None:
        self.show(width, scheme)
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(path.as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        # As JSON, in which half of a surrogate pair can travel.
        script = (
            "return JSON.stringify([...document.querySelectorAll(arguments[0])]"
            ".filter((element) => !element.hidden).map((element) => element.textContent))"
        )
        return list(json.loads(self.run(script, selector)))

    def text(self, selector: str) -> str:
        return self.texts(selector)[0]

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
        # The driver returns before a busy browser has given the page its keys.
        self.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        messages = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]


def check_policy(text: str) -> None:
    """See to it that a page runs its own script and style alone, which parse no HTML."""
    # Nothing is named that lies elsewhere; and a style beside an element would be refused.
    assert not re.search(r"https?://|@import|url\(|\bsrc=\"|href=\"(?!#|data:,\")|\bstyle=", text)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(", text
    )
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    found = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in found
    assert "unsafe" not in found
    for directive, pattern in (
        ("script-src", r"<script>(.*?)</script>"),
        ("style-src", r"<style>(.*?)</style>"),
    ):
        [content] = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in found

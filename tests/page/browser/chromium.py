"""Chromium, driven by Playwright, with an eye on everything a page does that it must not.

The browser is Debian's: `chromium` on the PATH, or what GATEWAY_CHROMIUM names. Without one these tests are skipped,
and `.ci/run` counts a skip as a failure.
"""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright

SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"

# No sandbox, as containers run tests as root; nothing that asks other hosts by itself.
_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@dataclass
class Watch:
    """What a page did: `faults` must stay empty."""

    origin: str
    faults: list[str] = field(default_factory=list[str])
    expected: tuple[str, ...] = ()

    def follow(self, page: Page) -> None:
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", lambda request: self._request(request.url))
        page.on("dialog", self._dialog)

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(word in text for word in self.expected):
            self.faults.append(f"console: {text}")

    def _request(self, url: str) -> None:
        if not url.startswith(f"{self.origin}/"):
            self.faults.append(f"request to another host: {url}")

    async def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        await dialog.dismiss()


@asynccontextmanager
async def opened(
    origin: str, *, expected: tuple[str, ...] = (), token: str = "", **context: Any
) -> AsyncIterator[tuple[Page, Watch]]:
    """A page of a fresh browser; fails at the end when the page did what it must not.

    `expected` are words of console lines that belong to the test; `context` are options of Playwright's contexts.
    """
    program = os.environ.get("GATEWAY_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip(
            "there is no chromium on the PATH (Debian: apt-get install chromium), and GATEWAY_CHROMIUM is not set"
        )
    watch = Watch(origin, expected=expected)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(_ARGUMENTS))
        try:
            made = await browser.new_context(base_url=origin, extra_http_headers=headers, **context)
            page = await made.new_page()
            page.set_default_timeout(10_000)
            watch.follow(page)
            yield page, watch
        finally:
            await browser.close()
    assert watch.faults == []


async def screenshot(page: Page, name: str) -> None:
    """Kept under build/screenshots, for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

"""Login in a real browser: what it sends with a form, keeps as a cookie, and may load."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from gateway.auth.apikeys import make_api_key
from tests.conformance.npm import packages_in
from tests.page.browser.catalogue import CATALOGUE
from tests.page.browser.chromium import opened, screenshot
from tests.page.browser.test_browser import AXE
from tests.serving import serving
from tests.stores import MemoryBucket

KEY, KEPT = make_api_key("reader", b"1" * 32)
UNAUTHORIZED = "401"
"""What the console says of a key that is no good."""


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    bucket = MemoryBucket()
    for key, data in CATALOGUE.items():
        bucket.store.store(key, data)
    with serving(bucket, auth="bearer", api_keys=(KEPT.line,)) as url:
        yield url.removesuffix(urlsplit(url).path)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
async def test_somebody_logs_in_reads_and_logs_out(origin: str, scripts: bool) -> None:
    """[Fetch standard, Origin of forms] From the page that was asked for, and back to it."""
    async with opened(origin, expected=(UNAUTHORIZED,), java_script_enabled=scripts) as (page, _):
        await page.goto("/skills/acme/billing/refunds")
        assert page.url == f"{origin}/login?next=%2Fskills%2Facme%2Fbilling%2Frefunds"
        await page.get_by_label("API key").fill("skg_nonsense")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text("That key or token is not good here.")
        await screenshot(page, "login-refused")
        await page.get_by_label("API key").fill(KEY)
        await page.get_by_role("button", name="Log in").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("refunds")
        assert page.url == f"{origin}/skills/acme/billing/refunds"
        kept = [(one["name"], one["httpOnly"], one["sameSite"]) for one in await page.context.cookies()]
        assert kept == [("skills_session", True, "Lax")]
        await page.get_by_role("button", name="Log out").click()
        await expect(page.get_by_role("alert")).to_have_text("You are logged out.")
        assert await page.context.cookies() == []
        await page.goto("/")
        assert page.url == f"{origin}/login?next=%2F"


async def test_axe_finds_nothing_serious_on_the_login(origin: str) -> None:
    """[axe-core] Light and dark; what is moderate counts too."""
    axe = (packages_in(AXE, "axe") / "node_modules" / "axe-core" / "axe.min.js").read_text()
    async with opened(origin, viewport={"width": 390, "height": 800}) as (page, _):
        await page.goto("/login")
        await page.evaluate(axe)
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            await screenshot(page, f"login-{scheme}")
            found = await page.evaluate("axe.run().then(result => result.violations)")
            assert (scheme, [one["id"] for one in found if one["impact"] != "minor"]) == (scheme, [])

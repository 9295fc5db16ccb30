"""The page in a real browser: quick with scripts, whole without, readable by everybody, and harmless."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, expect

from tests.conformance.npm import packages_in
from tests.page.browser.catalogue import CATALOGUE, HOSTILE
from tests.page.browser.chromium import opened, screenshot
from tests.serving import serving
from tests.stores import MemoryBucket

AXE = {"axe-core": "4.14.1"}
PAGES = ("/", "/skills/acme/billing/refunds", "/skills/hostile", "/problems", "/connect", "/skills/none")
NOT_FOUND = "404"
"""What the console says of a page that is not there."""


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    bucket = MemoryBucket()
    for key, data in CATALOGUE.items():
        bucket.store.store(key, data)
    with serving(bucket, page_size=2) as url:
        yield url.removesuffix(urlsplit(url).path)


async def cards(page: Page) -> list[str]:
    return await page.locator(".card h3").all_inner_texts()


async def test_a_search_shows_what_it_finds_while_one_types(origin: str) -> None:
    """[ours] Without loading a page; the address can be shared."""
    async with opened(origin) as (page, _):
        await page.goto("/")
        assert await cards(page) == ["hostile", "kit", "refunds", "leave"]
        await page.evaluate("window.stayed = true")
        await page.keyboard.press("/")
        await page.keyboard.type("holiday")
        await expect(page.locator(".card h3")).to_have_text(["leave"])
        await expect(page.get_by_role("status")).to_contain_text("1 skill for “holiday”")
        assert page.url == f"{origin}/?q=holiday"
        assert await page.evaluate("window.stayed") is True
        await page.get_by_label("Search by name").fill("")
        await expect(page.locator(".card h3")).to_have_count(4)
        await screenshot(page, "catalogue")
        await page.get_by_role("link", name="billing").click()
        assert await cards(page) == ["refunds"]


async def test_a_skill_is_read_and_its_files_are_fetched(origin: str, tmp_path: Path) -> None:
    """[ours] The bytes that are downloaded are those of the store."""
    async with opened(origin, permissions=["clipboard-read", "clipboard-write"]) as (page, _):
        await page.goto("/")
        await page.get_by_role("link", name="refunds").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("refunds")
        await page.get_by_role("button", name="Copy this").first.click()
        assert await page.evaluate("navigator.clipboard.readText()") == "skill://acme/billing/refunds/SKILL.md"
        await screenshot(page, "skill")
        async with page.expect_download() as started:
            await page.get_by_role("link", name="Download replies.md").click()
        await (await started.value).save_as(tmp_path / "saved")
        assert (tmp_path / "saved").read_bytes() == CATALOGUE["acme/billing/refunds/replies.md"]
        await page.locator("article").get_by_role("link", name="replies").click()
        await expect(page.locator("article h2")).to_have_text("Replies")
        await page.goto("/skills/acme/billing/refunds?file=logo.png")
        assert await page.evaluate("document.querySelector('img.picture').naturalWidth") == 1


@pytest.mark.parametrize("file", ["", "?file=line.md", "?file=page.html", "?file=image.svg"])
async def test_a_skill_that_would_do_harm_does_none(origin: str, file: str) -> None:
    """[ours] No script of it runs, nothing of it is loaded, and its text can be read."""
    async with opened(origin) as (page, _):
        await page.goto(f"/skills/hostile{file}")
        await page.wait_for_load_state("networkidle")
        assert await page.evaluate("window.harmed === undefined")
        assert await page.locator("body").is_visible()
        assert (
            await page.evaluate("document.querySelectorAll('main script, main iframe, main svg, main style').length")
            == 0
        )
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        if not file:
            text = await page.locator("article").inner_text()
            assert "<script>window.harmed = 1</script>" in text
            assert "{{ 7 * 7 }}" in text
            hrefs = await page.locator("article a").evaluate_all("links => links.map(link => link.href)")
            assert hrefs == ["https://evil.example/pixel.png", "https://elsewhere.example/"]
            await screenshot(page, "hostile")
    assert "javascript:" in HOSTILE


async def test_problems_say_where_and_what(origin: str) -> None:
    """[ours]"""
    async with opened(origin) as (page, _):
        await page.goto("/problems")
        row = page.get_by_role("row").filter(has_text="broken")
        await expect(row.get_by_role("cell").nth(1)).to_have_text("3")
        await screenshot(page, "problems")


async def test_everything_works_without_scripts(origin: str) -> None:
    """[ours] By forms and links."""
    async with opened(origin, java_script_enabled=False) as (page, _):
        await page.goto("/")
        await page.get_by_label("Search by name").fill("holiday")
        await page.get_by_role("button", name="Search").click()
        assert await cards(page) == ["leave"]
        await page.get_by_role("link", name="leave").click()
        await expect(page.locator("article")).to_contain_text("Ask first.")
        await page.get_by_role("link", name="Connect").click()
        await expect(page.get_by_role("heading", level=2)).to_have_text(
            ["Claude Code", "VS Code", "Cursor", "MCP Inspector"]
        )


async def test_it_is_dark_where_the_reader_wants_it_dark(origin: str) -> None:
    """[ours]"""
    grounds = []
    for scheme in ("light", "dark"):
        async with opened(origin, color_scheme=scheme) as (page, _):
            await page.goto("/skills/acme/billing/refunds")
            await screenshot(page, f"skill-{scheme}")
            grounds.append(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert grounds == ["rgb(247, 248, 250)", "rgb(17, 21, 28)"]


async def test_a_keyboard_is_enough(origin: str) -> None:
    """[WCAG 2.4.1, 2.1.1] The first stop leads past the navigation."""
    async with opened(origin) as (page, _):
        await page.goto("/")
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await expect(page.get_by_label("Search by name")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
async def test_axe_finds_nothing_serious(origin: str, scheme: str, width: int) -> None:
    """[axe-core] On every kind of page; what is moderate counts too."""
    axe = (packages_in(AXE, "axe") / "node_modules" / "axe-core" / "axe.min.js").read_text()
    viewport = {"width": width, "height": 800}
    async with opened(origin, expected=(NOT_FOUND,), color_scheme=scheme, viewport=viewport) as (page, _):
        for address in PAGES:
            await page.goto(address)
            await page.evaluate(axe)
            found = await page.evaluate("axe.run().then(result => result.violations)")
            told = [
                f"{one['id']} ({one['impact']}): {one['nodes'][0]['html']}" for one in found if one["impact"] != "minor"
            ]
            assert (address, told) == (address, [])

"""The list of pages: side trips and the part called Reference are folded where they are far from the page."""

import pytest
from playwright.sync_api import expect

CHAPTER, OWN, OTHER = "chapters/yun-theorem-2.html", "Infinitely far away", "Small domains"
MENU = ".bd-docs-nav"


def test_a_chapter_shows_its_own_side_trips_and_few_other_pages(desk, bare, site):
    for reader in (desk, bare):
        tab = reader.open(f"{site}{CHAPTER}")
        menu = tab.locator(MENU)
        expect(menu.get_by_text(OWN)).to_be_visible()
        expect(menu.get_by_text(OTHER)).not_to_be_visible()
        expect(menu.get_by_text("An atlas of mixers")).not_to_be_visible()
        assert menu.locator("a:visible").count() < 25 < 60 < menu.locator("a").count()


def test_all_others_are_reached_by_key_also_without_a_script(desk, bare, site):
    for reader in (desk, bare):
        tab = reader.open(f"{site}{CHAPTER}")
        menu = tab.locator(MENU)
        for name, page in (("Side trips from Attention alone", OTHER), ("Reference", "An atlas of mixers")):
            summary = menu.get_by_label(name) if page == OTHER else menu.locator(".uat-part > summary")
            summary.focus()
            tab.keyboard.press("Enter")
            expect(menu.get_by_text(page)).to_be_visible()
            tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.textContent.trim()") == "An atlas of mixers"


@pytest.mark.parametrize("page", ["chapters/liu-small-domains", "library/errata", "references", "chapters/conclusion"])
def test_the_page_itself_is_always_seen(desk, site, page):
    desk.open(f"{site}{page}.html")
    tab = desk.open(f"{site}{page}.html")
    expect(tab.locator(f"{MENU} a.current:visible").last).to_be_in_viewport()
    top = "sessionStorage.setItem('sidebar-scroll-top', '0')"
    tab.evaluate(f"addEventListener('pagehide', () => {top})")  # as it was on another page
    tab.reload()
    expect(tab.locator(f"{MENU} a.current:visible").last).to_be_in_viewport()

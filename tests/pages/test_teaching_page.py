"""The page for teachers: what makes a link for a class, and the sets that it hands out."""

from urllib.parse import parse_qs, urlsplit

from reader import SHEET

from uatbook.grading import sets


def test_a_link_for_a_class_is_made_in_the_page(desk, site):
    tab = desk.open(f"{site}library/teaching.html")
    said = tab.locator(".uat-link-maker output")
    typed = {"Address of the hub": "javascript:alert(1)", "Repository": "me/book", "Branch": "haifa 2027"}
    for label, text in {"": "", **typed}.items():
        if label:
            tab.get_by_label(label).fill(text)
        assert "Fill in all" in said.inner_text()
    for label, text in (
        ("Address of the hub", "https://hub.example.edu/"),
        ("Repository", "https://github.com/me/book"),
        ("Branch", "a&b"),
    ):
        tab.get_by_label(label).fill(text)
    address = urlsplit(said.inner_text())
    assert (address.netloc, address.path) == ("hub.example.edu", "/hub/user-redirect/git-pull")
    assert parse_qs(address.query) == {
        "repo": ["https://github.com/me/book"],
        "branch": ["a&b"],
        "targetPath": ["book"],
        "urlpath": ["lab/tree/book/chapters/start.md"],
    }
    assert desk.complaints == []


def test_sets_can_be_downloaded(desk, site, book):
    tab = desk.open(f"{site}library/teaching.html")
    links = tab.locator("a.download").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    assert len({*links}) == len(links) > 10
    for link in links:
        assert sets.read((book / "library" / link).resolve()).exercises


def test_the_plan_of_a_session_is_one_sheet(desk, site, tmp_path):
    tab = desk.open(f"{site}library/teaching.html")
    tab.emulate_media(media="print")
    tab.set_viewport_size(SHEET)
    section = tab.locator("section:has(.uat-session)").last
    assert section.evaluate("(section) => getComputedStyle(section).breakBefore") == "page"
    assert section.evaluate("(section) => getComputedStyle(section.nextElementSibling).breakBefore") == "page"
    assert section.bounding_box()["height"] < SHEET["height"]
    for link in tab.locator(".uat-session a").evaluate_all("(links) => links.map((link) => link.href)"):
        other = desk.open(link)
        assert other.locator(f"[id='{urlsplit(link).fragment}']").count() == 1 or not urlsplit(link).fragment
    desk.rest()

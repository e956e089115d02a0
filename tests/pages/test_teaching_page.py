"""The page for teachers: what makes a link for a class, and the sets that it hands out."""

from io import BytesIO
from urllib.parse import parse_qs, unquote, urldefrag, urlsplit

from pypdf import PdfReader

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
    names = [link.rsplit("/", 1)[1] for link in links]
    assert len({*names}) == len(names) > 10  # in one folder none takes the place of another
    for link in links:
        assert sets.read((book / "library" / link).resolve()).exercises


PRINTED = "window.print = () => { window.printed = document.documentElement.matches('[data-sheet]'); }"
MARGIN = dict.fromkeys(("top", "right", "bottom", "left"), "15mm")
NAMED = """rows => rows.map((row) =>
  ["a", "em"].map((tag) => [...row.querySelectorAll(tag)].map((one) => one.href ?? one.textContent)))"""
PAIR = "/chapters/kajitsuka-hardmax-fails.html#explorer-find?"


def test_the_plan_of_a_session_prints_alone_on_one_sheet(desk, site):
    tab = desk.open(f"{site}library/teaching.html")
    tab.emulate_media(media="print")
    whole = PdfReader(BytesIO(tab.pdf(format="A4", margin=MARGIN)))
    sheets = [sheet.extract_text() for sheet in whole.pages]
    (plan,) = [said for said in sheets if "You say" in said]
    assert [part for part in ("5–15", "70–90", "session-week1") if part not in plan] == []
    tab.emulate_media(media="screen")
    tab.evaluate(PRINTED)
    tab.get_by_role("button", name="Print this plan alone").click()
    assert tab.evaluate("window.printed") is True
    tab.emulate_media(media="print")
    (sheet,) = PdfReader(BytesIO(tab.pdf(format="A4", margin=MARGIN))).pages
    said = sheet.extract_text()
    assert [part in said for part in ("0–5", "70–90", "session-week1", "one-week1")] == [True, True, True, False]
    assert not tab.locator("html[data-sheet]").count()  # afterwards the page is whole again
    complaints = [*desk.complaints]
    desk.rest()
    assert complaints == []


def test_a_phone_reads_the_plan_without_going_sideways(phone, site):
    tab = phone.open(f"{site}library/teaching.html")
    assert tab.locator(".uat-session").evaluate("(table) => table.scrollWidth <= innerWidth")
    assert tab.locator(".uat-session td").last.evaluate("(cell) => cell.clientWidth / innerWidth") > 0.8


def test_without_a_script_the_plan_has_no_button(bare, site):
    tab = bare.open(f"{site}library/teaching.html")
    assert not tab.locator(".uat-sheet").is_visible()
    assert tab.locator(".uat-session").is_visible()


def test_what_the_plan_names_is_where_its_rows_lead(desk, site):
    """What stands in italics is the name of something of a page, a picture or a section to which the row links."""
    tab = desk.open(f"{site}library/teaching.html")
    rows = tab.locator(".uat-session tbody tr").evaluate_all(NAMED)
    assert sum("?" in link for links, _ in rows for link in links) > 6
    assert sum(len(names) for _, names in rows) > 2
    for links, names in rows:
        missing = {*names}
        for link in {urldefrag(link).url: link for link in links}.values():
            other = desk.open(link)
            place = unquote(urlsplit(link).fragment).partition("?")[0]
            assert other.locator(f"[id='{place}']").count() == 1, link
            missing -= {name for name in missing if other.get_by_text(name, exact=True).count()}
        assert missing == set()
    desk.rest()


def test_the_first_game_of_the_plan_is_won_and_the_second_is_not(desk, site):
    tab = desk.open(f"{site}library/teaching.html")
    links = tab.locator(".uat-session a").evaluate_all("links => links.map((link) => link.href)")
    pairs = [link for link in links if PAIR in link]
    assert len(pairs) == 4
    won = []
    for link in pairs:
        tab = desk.open(link)
        shown = tab.locator("#explorer-find .readout").inner_text()
        won.append("no shared token is told apart" not in shown)
    assert won == [False, True, False, True]  # as one comes, upright; as one comes, softmax

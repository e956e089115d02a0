"""Terms of Rocq are set as formulas; what is not understood stays."""

import json
import re

import pytest

from _ext.text.proofs import PROOFS
from _ext.text.rocq import stated_term, term_html


def spaced(html):
    """As it is read, wherever lines may end."""
    return html.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("term", "html"),
    [
        ("forall x : R, 0 <= x ^+ 2", "∀ <i>x</i> : <b>R</b>, 0 ≤ <i>x</i><sup>2</sup>"),
        (
            r"\sum_(i < n.+1) W_K i == x'",
            "∑<sub><i>i</i> &lt; <i>n</i>+1</sub>\u202f<i>W</i><sub>K</sub> <i>i</i> = <i>x</i>′",
        ),
        (
            "'M[R]_(d, n) -> 'I_n -> 'rV_d",
            "<b>R</b><sup><i>d</i> × <i>n</i></sup> → [<i>n</i>] → <b>R</b><sup>1 × <i>d</i></sup>",
        ),
        ("prod_finType (ordinal_finType d) (ordinal_finType n) -> R", "[<i>d</i>] × [<i>n</i>] → <b>R</b>"),
        ("`|expR (- eps)| * 2%:R", "|exp (−<i>ε</i>)| · 2"),
        ("x k - y", "<i>x</i> <i>k</i> − <i>y</i>"),
        ("A *m B^T + c^-1 *: C", "<i>A</i> · <i>B</i><sup>T</sup> + <i>c</i><sup>−1</sup> · <i>C</i>"),
        (
            r"[/\ a = b & ~ c <-> d \/ e]",
            "[<em>all of</em> <i>a</i> = <i>b</i> <em>and</em> ¬ <i>c</i> ↔ <i>d</i> ∨ <i>e</i>]",
        ),
        ("fun x => f x.1 (y:=3)", "<i>x</i> ↦ <i>f</i> <i>x</i><sub>1</sub>"),
        ("ln n.+1 ^+ 2", "(ln (<i>n</i>+1))<sup>2</sup>"),
        ("n.+1 ^+ 2 + x^-1", "(<i>n</i>+1)<sup>2</sup> + <i>x</i><sup>−1</sup>"),
        ("if a then f x ^+ 2 else y", "if <i>a</i> then (<i>f</i> <i>x</i>)<sup>2</sup> else <i>y</i>"),
        ("delta_gt0", "delta_gt0"),
        ("theorem_2_d_p.v", "<code>theorem_2_d_p.v</code>"),
        ("<script>", "&lt;script&gt;"),
        ("perm_mx p^-1", "<b>P</b> <i>p</i><sup>−1</sup>"),
        ("s =i t", "<i>s</i> <em>has the same members as</em> <i>t</i>"),
        ("I * J * ('I_n * R)", "<i>I</i> × <i>J</i> × ([<i>n</i>] × <b>R</b>)"),
        ("n.*2.+1", "<i>n</i> · 2 + 1"),
        ("{subset f i <= D} /\\ uniq D", "(<i>f</i> <i>i</i> ⊂ <i>D</i>) ∧ uniq <i>D</i>"),
        ("n.*2.+1%:R * h", "(<i>n</i> · 2 + 1) · <i>h</i>"),
        ("h <= (f (- (P * h))).*2.+1%:R", "<i>h</i> ≤ ((<i>f</i> (−(<i>P</i> · <i>h</i>))) · 2 + 1)"),
        ("2 * ln n.+1%:R + 3", "2 · ln (<i>n</i>+1) + 3"),
        ("(n + m).-1%:R * x", "((<i>n</i> + <i>m</i>)−1) · <i>x</i>"),
        ("(n + m).-1 ^+ 2", "((<i>n</i> + <i>m</i>)−1)<sup>2</sup>"),
        ("a - n.-1%:R < n.+1%:R", "<i>a</i> − (<i>n</i>−1) &lt; <i>n</i>+1"),
        ("n.+1.+1 * 2", "(<i>n</i>+1+1) · 2"),
        ("if n.+1 is k then k.+1", "if <i>n</i>+1 is <i>k</i> then <i>k</i>+1"),
        ("'M[R]_(d, n + m)", "<b>R</b><sup><i>d</i> × (<i>n</i> + <i>m</i>)</sup>"),
        ("n * 2", "<i>n</i> · 2"),
        ("sees^~ k", "sees(·, <i>k</i>)"),
        ("fun=> 0", "_ ↦ 0"),
        ("[arg max_(i > i0) y i]%O", "argmax <sub><i>i</i></sub>\u202f(<i>y</i> <i>i</i>)"),
        ("(s^-1)%g k", "(<i>s</i><sup>−1</sup>) <i>k</i>"),
        (r"\big[Num.max/0]_j x j", "max<sub><i>j</i></sub>\u202f<i>x</i> <i>j</i>"),
        ("`|a - b| <= c || d", "|<i>a</i> − <i>b</i>| ≤ <i>c</i> ∨ <i>d</i>"),
        ("{| W_O := w |}", "⟨ <i>W</i><sub>O</sub> := <i>w</i> ⟩"),
        ("{j | P `|x j|}", "{<i>j</i> | <i>P</i> |<i>x</i> <i>j</i>|}"),
        ("D ^+ #|J|.-1 * 2", "<i>D</i><sup>|<i>J</i>|−1</sup> · 2"),
        ("x%:M", "<i>x</i> · <b>I</b>"),
        ("(a - b)%:P + 'X * c", "(<i>a</i> − <i>b</i>) + <i>X</i> · <i>c</i>"),
        ("'C(n, N'0)", "binomial (<i>n</i>, <i>N</i><sub>0</sub>′)"),
        ("[:: 1; 2] = s %[mod D]", "[1; 2] = <i>s</i> (<em>mod</em> <i>D</i>)"),
        ("prod_finType bool 'I_(d.+1) -> R", "bool × [<i>d</i>+1] → <b>R</b>"),
        ("fun jk : J * J => a * J", "jk : <i>J</i> × <i>J</i> ↦ <i>a</i> · <i>J</i>"),
        ("[ffun x => T x] == y", "(<i>x</i> ↦ <i>T</i> <i>x</i>) = <i>y</i>"),
        ("s : seq (set nat)", "<i>s</i> : <em>list of</em> (<em>set of</em> <b>N</b>)"),
        ("U_K `*` U_Q", "<i>U</i><sub>K</sub> × <i>U</i><sub>Q</sub>"),
        ("r_K * e_Q", "<i>r</i><sub>K</sub> · <i>e</i><sub>Q</sub>"),
        ("ln #|J| - 1 <= `|- x|", "ln |<i>J</i>| − 1 ≤ |−<i>x</i>|"),
        ("Zp_zmodType n'.+1 -> Zp_ringType n'", "[<i>n</i>′+2] → [<i>n</i>′+2]"),
        ("true%:R - eps_0", "1 − <i>ε</i><sub>0</sub>"),
        ("seq (R d) * R", "<em>list of</em> (<b>R</b> <i>d</i>) × <b>R</b>"),
        ("J : finType", "<i>J</i> : <em>a finite set</em>"),
        ("D ^+ kinds c * (t - m)", "<i>D</i><sup>kinds <i>c</i></sup> · (<i>t</i> − <i>m</i>)"),
        ("D ^+ (kinds c).-1 * 3", "<i>D</i><sup>(kinds <i>c</i>)−1</sup> · 3"),
        ("2 ^ (n * d).+1 - 1", "2<sup>(<i>n</i> · <i>d</i>)+1</sup> − 1"),
        ("b ^ f n.+1 (g 2)\n  \\in A", "<i>b</i><sup><i>f</i> (<i>n</i>+1) (<i>g</i> 2)</sup>\n  ∈ <i>A</i>"),
        ("x ^+ (2 * n) * y", "<i>x</i><sup>2 · <i>n</i></sup> · <i>y</i>"),
        ("if b then x ^+ n else y", "if <i>b</i> then <i>x</i><sup><i>n</i></sup> else <i>y</i>"),
        ("{within K, continuous f}", "{within <i>K</i>, continuous <i>f</i>}"),
        ("grid.delta R", "<i>δ</i> <b>R</b>"),
        ("'M_d -> 'M[int]_n", "<b>R</b><sup><i>d</i> × <i>d</i></sup> → <b>Z</b><sup><i>n</i> × <i>n</i></sup>"),
        ("b : 'rV_(n + m)", "<i>b</i> : <b>R</b><sup>1 × (<i>n</i> + <i>m</i>)</sup>"),
        ("k : 'I_n.+1.-1", "<i>k</i> : [<i>n</i>]"),
        ("p : 'I_(2 * m).+2", "<i>p</i> : [(2 · <i>m</i>)+2]"),
        ("ln 2 ^+ 2 * x", "(ln 2)<sup>2</sup> · <i>x</i>"),
        ("ln #|'I_n.+1|%:R ^+ 2", "(ln |[<i>n</i>+1]|)<sup>2</sup>"),
        ("`|x| ^+ 2 + (a + b) ^+ 2", "|<i>x</i>|<sup>2</sup> + (<i>a</i> + <i>b</i>)<sup>2</sup>"),
        ("#|[pred i | best s i]|%:R", "|{<i>i</i> | best <i>s</i> <i>i</i>}|"),
        ("(j == i)%:R", "<b>1</b> (<i>j</i> = <i>i</i>)"),
        ("x * (j < f (i))%N%:R", "<i>x</i> · <b>1</b> (<i>j</i> &lt; <i>f</i> (<i>i</i>))"),
        ("a < 1 *- 2", "<i>a</i> &lt; −2"),
        ("f (1 *- 3 ^ 1)", "<i>f</i> (−3<sup>1</sup>)"),
        (r"\frob_ x =>> y", r"\frob_ <i>x</i> ↦&gt; <i>y</i>"),
        (r"\sum_i a i * b + c", "(∑<sub><i>i</i></sub>\u202f<i>a</i> <i>i</i> · <i>b</i>) + <i>c</i>"),
        (r"a - \sum_i - b i", "<i>a</i> − ∑<sub><i>i</i></sub>\u202f− <i>b</i> <i>i</i>"),
        ("f A x%:M 0", "<i>f</i> <i>A</i> (<i>x</i> · <b>I</b>) 0"),
        ("l.1.2 + (g c).2.1", "(<i>l</i><sub>1</sub>)<sub>2</sub> + ((<i>g</i> <i>c</i>)<sub>2</sub>)<sub>1</sub>"),
        ("gap d.+1 n.+1 (f x)", "gap (<i>d</i>+1) (<i>n</i>+1) (<i>f</i> <i>x</i>)"),
        ("'M[R]_(d.+1, n)", "<b>R</b><sup>(<i>d</i>+1) × <i>n</i></sup>"),
        ("~ x = y \\/ z", "¬ (<i>x</i> = <i>y</i>) ∨ <i>z</i>"),
        ("~ p x \\/ z -> ~ a = b", "¬ <i>p</i> <i>x</i> ∨ <i>z</i> → ¬ <i>a</i> = <i>b</i>"),
        (
            r"[/\ forall x, a x -> b, c, exists2 y, d & e & forall z, f]",
            "[<em>all of</em> (∀ <i>x</i>, <i>a</i> <i>x</i> → <i>b</i>), <i>c</i>, (∃ <i>y</i>, <i>d</i> <em>and</em> "
            "<i>e</i>) <em>and</em> ∀ <i>z</i>, <i>f</i>]",
        ),
    ],
)
def test_a_term_is_set_as_the_book_sets_formulas(term, html):
    assert spaced(term_html(term)) == html


def test_a_statement_holds_for_what_stands_before_its_colon():
    assert spaced(term_html(stated_term("(n : nat) : n = n"))) == "∀ (<i>n</i> : <b>N</b>),\n  <i>n</i> = <i>n</i>"
    assert spaced(term_html(stated_term(": let x := 1 in x = 1"))) == "let <i>x</i> := 1 in <i>x</i> = 1"


def test_a_name_that_has_a_place_is_a_link():
    assert spaced(term_html("softmax s j", {"softmax": "#word"}.get)) == '<a href="#word">softmax</a> <i>s</i> <i>j</i>'


def test_a_comment_in_a_term_is_english_and_no_link():
    place = {"largest": "#word"}.get
    assert term_html("[/\\ (* largest *) largest x & y]", place).count("<a ") == 1
    assert "⟨largest⟩" in term_html("(* largest *) x", place)


def test_no_line_ends_between_a_map_and_its_variable_or_a_variable_and_its_colon():
    plain = re.sub(r"<.*?>", "", term_html("forall z : J, f z j <= f (g z) in A"))
    assert plain.split(" ") == ["∀\u00a0z\u00a0:", "J,", "f\u00a0z\u00a0j", "≤", "f", "(g\u00a0z)", "in", "A"]


def test_no_line_ends_in_a_short_bracket():
    plain = re.sub(
        r"<.*?>", "", term_html("exists (A : 'I_d -> 'M[R]_(e, d)) (B : nat), f (s, k) (eps / 2) (a + b + c + d + e)")
    )
    lines = plain.split(" ")
    assert "(A\u00a0:\u00a0[d]\u00a0→\u00a0Re\u00a0×\u00a0d)" in lines
    assert {"(s,\u00a0k)", "(ε\u00a0/\u00a02)", "(a", "e)"} <= {*lines}


def terms():
    """All terms of the records: what is given, stated, new, and to be shown."""
    for file in sorted(PROOFS.glob("**/*.json")):
        for one in json.loads(file.read_text(encoding="utf-8")).get("proofs", []):
            yield from (*one["given"], one["statement"])
            for _, new, show, _ in (line for step in one["steps"] for line in step["lines"]):
                yield from (*new, *filter(None, [show]))


def pieces(rest):
    """What stands between spaces, up to where the brackets around it end."""
    depth, piece, ends = 0, "", {")": -1, "]": -1, "}": -1, "(": 1, "[": 1, "{": 1}
    for sign in rest:
        depth += ends.get(sign, 0)
        if depth < 0 or (depth == 0 and sign in ",;"):
            break
        if depth == 0 and sign.isspace():
            yield piece
            piece = ""
        else:
            piece += sign
    yield piece


def raised(rest):
    """What stands in an exponent: an atom; where it is a name or a bracket, the arguments after it."""
    first, *more = pieces(re.sub(r"%:?(?:R|Z|N)\b", "", rest.lstrip()))
    found = [first]
    for piece in more if not first[:1].isdigit() else ():
        if not re.match(r"[\w(]|#\|", piece) or piece in {"in", "is", "then", "else", "with", "end", "as", "of"}:
            break
        found.append(piece)
    return " ".join(found)


def read(html):
    """Its text without spaces and the brackets around all of it."""
    text = re.sub(r"\s|<[^<>]*>", "", html)
    return text[1:-1] if re.fullmatch(r"\([^()]*\)", text) else text


def test_a_step_that_is_a_factor_an_argument_or_raised_stands_in_brackets():
    """Of "n+1 · x", "x · n+1", "ln n+1" and "n+1" raised none is in the records: each can be read in two ways."""
    wrong, stepped = re.compile(r"[\w)}′][+−]\d(?: [·/]|\^)|[·/] ?\w+[+−]\d|\bln \w[+−]\d"), 0
    for term in {*terms()}:
        html = term_html(term).replace("<sup>", "^{").replace("</sup>", "}")
        text = re.sub(r"<[^<>]*>", "", html)
        stepped += bool(re.search(r"[\w)][+−]\d", text))
        assert not wrong.search(text), text
    assert stepped > 300


def test_no_power_of_the_records_reads_as_one_of_the_last_argument_alone():
    """Of "ln 2²" and "ln |J|²": Rocq applies first, and then raises."""
    wrong = re.compile(r"\b(?:ln|exp|√)[ \u00a0](?:\d+|\|[^|]*\||\([^()]*\))\^{")
    powers = {term for term in {*terms()} if re.search(r"\^\+? ", term)}
    assert len(powers) > 300
    for term in powers:
        text = re.sub(r"<[^<>]*>", "", term_html(term).replace("<sup>", "^{").replace("</sup>", "}"))
        assert not wrong.search(text), text


def test_a_type_of_the_records_says_all_its_sizes():
    """A square matrix has two; nothing is "R^{1 × n + m}", "[n+1]−1" or a sum with "1 ·− 2"."""
    square = 0
    for term in {*terms()}:
        text = spaced(term_html(term))
        assert not re.search(r"·−|\][+−]\d|× [^()<>]*(?:<i>\w</i>)? [+−] |\)</sup>[+−]", text), text
        for size in re.findall(r"'M(?:\[\w+\])?_([A-Za-z])(?![\w'.])", term):
            square += 1
            assert f"<i>{size}</i> × <i>{size}</i></sup>" in text, text
    assert square > 5


def test_no_exponent_of_the_records_is_cut():
    power = re.compile(r"\^ ?\+? ?(?=[\w(#])(?!T\b)")
    found = {term[at.end() :] for term in {*terms()} for at in power.finditer(term)}
    assert len(found) > 200
    for rest in found:
        html = term_html(f"x ^+ {rest}")
        above, depth = "", 0
        for part in re.findall(r"<[^<>]*>|[^<]+", html[html.index("<sup>") :]):
            depth += (part == "<sup>") - (part == "</sup>")
            if depth == 0:
                break
            above += part
        assert read(above) == read(term_html(raised(rest))), rest

"""Goals of explorers: judged by a function of the read-out and the values, frame by frame."""

import base64
import gzip
import json
import re

import matplotlib.pyplot as plt
import pytest

from explorables import Explorer


def bars(height, wide):
    """A bar."""
    figure, ax = plt.subplots()
    ax.bar([0], [height], width=0.8 if wide else 0.2)
    return figure, f"area {height * (4 if wide else 1)}"


CONTROLS = {"height": [1, 2, 3], "wide": [False, True]}
GOALS = {
    "large": ("Find an area above 7.", lambda said, at: int(said.split()[1]) > 7),
    "three": ("Find <three>.", lambda said, at: at["height"] == 3 and not at["wide"], "three is <enough>"),
}


def explorer(**goals):
    return Explorer(bars, CONTROLS, goals=goals)


def test_each_frame_says_which_goals_it_reaches():
    shown = explorer(**GOALS)
    wanted = {(h, w): (h * (4 if w else 1) > 7, (h, w) == (3, False)) for h in (1, 2, 3) for w in (False, True)}
    assert {at: shown.frame(height=at[0], wide=at[1]).reached for at in wanted} == wanted
    assert shown.answer([2, 0])["reached"] == (False, True)
    page = shown.to_html()
    pack = json.loads(gzip.decompress(base64.b64decode(re.search(r'class="uat-pack">([^<]*)<', page)[1])))
    assert [row[2:] for row in pack["index"]] == [[i for i in (0, 1) if both[i]] for both in wanted.values()]
    goals = [page.index(f"<strong>Goal {k}:</strong>") for k in (1, 2)]
    states = [found.start() for found in re.finditer('<p class="state room">Not yet.</p>', page)]
    assert goals[0] < states[0] < goals[1] < states[1] < page.index('class="pictures"')
    spec = json.loads(re.search(r'class="uat-spec">(.*?)</script>', page)[1])
    assert [goal.get("gained") for goal in spec["goals"]] == [None, "three is <enough>"]
    assert "Find &lt;three&gt;." in page


def test_what_is_no_goal_is_refused():
    asked = ("Find it.", ("Find it.", 3), ("", len), ("Find it.", len, 3), (3, len), 3)
    for goals in (*({"a": one} for one in asked), ["a"]):
        with pytest.raises(ValueError, match="goals"):
            Explorer(bars, CONTROLS, goals=goals)
    at_start = explorer(small=("Find a small area.", lambda said, at: said == "area 1"))
    assert at_start.frame(height=2).reached == (False,)
    with pytest.raises(ValueError, match="bars goals: expected one to be reached, got 'small', which is at the start"):
        at_start.frame()
    nowhere = explorer(huge=("Find a huge area.", lambda said, at: said == "area 99"))
    with pytest.raises(ValueError, match="bars goals: expected one that some setting reaches, got 'huge'"):
        nowhere.to_html()

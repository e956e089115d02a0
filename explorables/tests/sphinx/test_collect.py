"""What the build keeps of the explorers of a page."""

import json
from collections import defaultdict
from types import SimpleNamespace

from docutils import nodes

from explorables.live.picture import UNDRAWN, WITHOUT_NODE
from explorables.sphinx import explorers

SPEC = '<script type="application/json" class="uat-spec">'


def test_a_live_picture_that_node_did_not_draw_is_a_warning_and_no_place_in_the_gallery(monkeypatch):
    """Node is no requirement: the picture moves without its first frame; authors hear of node, and readers do not."""
    assert "node" not in UNDRAWN
    spec = json.dumps({"name": "tangent", "title": "A tangent", "controls": []})
    box = '<div class="uat-explorer" id="explorer-tangent" data-live="tangent"><div class="uat-first"></div>'
    page = nodes.section("", nodes.raw("", f"{box}{SPEC}{spec}</script></div>", format="html"))
    app = SimpleNamespace(env=SimpleNamespace(docname="page", metadata=defaultdict(dict)))
    said = []
    monkeypatch.setattr(explorers.logger, "warning", lambda *words, **place: said.append(words))
    explorers.collect(app, page)
    assert said == [("%s: %s", "explorer-tangent", WITHOUT_NODE)]
    (entry,) = app.env.metadata["page"][explorers.KEY]
    assert (entry["live"], entry["listed"]) == ("tangent", False)
    assert entry["goals"] == {}

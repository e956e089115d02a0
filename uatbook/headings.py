"""How results are named: Lemma 8 for an id, and the heading of the certificate of a run."""

from __future__ import annotations

import re

from uatlib.certificate import Certificate
from uatlib.internal.certificate_html import certificate_html

from .sources import TEXTS

KINDS = {
    "thm": "Theorem", "lem": "Lemma", "prop": "Proposition", "cor": "Corollary", "def": "Definition", "claim": "Claim",
}  # fmt: skip
# What a title says of a run that is not the statement itself; the line says it, too.
NOTE = re.compile(r"(?:^|, )((?:the|a) [^,]*(?: as printed| with [^,]* alone repaired)|our reading [^,]*|damaged)$")


class StatementCertificate(Certificate):
    """The certificate of a statement's run, titled "<id>, <what was run>".

    In a notebook the line has its number, "Lemma 8", and the table above it "Lemma 8 of Yun et al. (2020): ...".
    """

    def _repr_html_(self) -> str:
        id, _, text = self.title.partition(", ")
        name, note = statement_name(id), NOTE.search(text)
        line = ", ".join(filter(None, [name, note[1] if note else ""]))
        source = TEXTS[id.partition(":")[0]].cited
        title = f"{name} of {source}: {text}" if name else text[:1].upper() + text[1:]
        return certificate_html(title, self.parameters, self.checks, line=line, name=id)


def statement_name(id: str) -> str:
    """Lemma 8 for yun2020:lem-8, Definition E.1 for def-e1, Corollary 4.1.1 for cor-4-1-1; "" without a number."""
    kind, _, number = id.partition(":")[2].partition("-")
    numbered = re.fullmatch(r"([a-z]?)(\d+(?:-\d+)*)", number)
    if kind not in KINDS or numbered is None:
        return ""
    letter = f"{numbered[1].upper()}." if numbered[1] else ""
    return f"{KINDS[kind]} {letter}{numbered[2].replace('-', '.')}"

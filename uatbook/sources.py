"""The sources of the book, an entry each: folders, headings, overview pages and pictures find them here."""

from __future__ import annotations

from dataclasses import dataclass

STEPS = ("cut", "tell apart", "look up")
"""What every proof of the book does with a sequence."""


@dataclass(frozen=True)
class Source:
    """A text whose results the book builds.

    Attributes
    ----------
    key : its bib key, with which the ids of its statements begin, and the name of its folder in `uatlib`, `uatbook`
    authors, year : as a sentence names them, "Yun et al." and 2020
    title : as `references.bib` has it
    kind : "paper" or "slides"
    proof : what carries its proof, in a few words
    steps : which layers do each of `STEPS`, on two lines
    beside : a further text on the same results, in the same folders
    """

    key: str
    authors: str
    year: int
    title: str
    kind: str = "paper"
    proof: str = ""
    steps: tuple[str, str, str] = ("", "", "")
    beside: Source | None = None

    @property
    def cited(self) -> str:
        """How a sentence names it: Yun et al. (2020)."""
        return f"{self.authors} ({self.year})"

    @property
    def heading(self) -> str:
        """How a page names its part: Yun et al. 2020, and what stands beside it."""
        beside = f", and {self.beside.authors}'s {self.beside.kind}" if self.beside else ""
        return f"{self.authors} {self.year}{beside}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The bib keys with which ids of its statements begin."""
        return (self.key, *(self.beside.keys if self.beside else ()))


SOURCES = {
    source.key: source
    for source in (
        Source(
            "yun2020",
            "Yun et al.",
            2020,
            "Are Transformers universal approximators of sequence-to-sequence functions?",
            proof="many thin layers",
            steps=("feed-forward,\none step each", "attention,\none move each", "feed-forward,\none id each"),
            beside=Source("so2020slides", "So", 2020, "Transformers are universal approximators", "slides"),
        ),
        Source(
            "kajitsuka2024",
            "Kajitsuka and Sato",
            2024,
            "Are Transformers with one layer self-attention using low-rank weight matrices universal approximators?",
            proof="one attention layer",
            steps=("feed-forward,\nthe first block", "attention,\none softmax", "feed-forward,\nthe last block"),
        ),
        Source(
            "liu2025",
            "Liu et al.",
            2025,
            "Attention Mechanism, Max-Affine Partition, and Universal Approximation",
            proof="a layer of attention alone",
            steps=("its scores,\nmax-affine", "its softmax,\none cell wins", "its values,\none a cell"),
        ),
        Source(
            "cheng2025",
            "Cheng et al.",
            2025,
            "A unified framework for establishing the universal approximation of transformer-type architectures",
            proof="whatever mixes tokens",
            steps=("feed-forward,\nsteep ramps", "any mixer,\none condition", "feed-forward,\nlayer by layer"),
        ),
    )
}
"""By key, in the book's order."""
TEXTS = {text.key: text for source in SOURCES.values() for text in (source, source.beside) if text}
"""What they consist of, by bib key."""

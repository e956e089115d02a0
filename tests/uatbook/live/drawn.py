"""What stands in the first frame of a live picture: elements and attributes, paths as points, bitmaps as pixels."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
from PIL import Image

from uatbook.live import LivePicture


def elements(shown: LivePicture, tag: str, **values: object) -> Iterator[dict[str, str]]:
    """The attributes of each element of this kind at these values; of a text also what it says."""
    for element in ElementTree.fromstring(shown.frame(**values).svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}"):
        yield {**element.attrib, "said": "".join(element.itertext())}


def plain(text: str) -> str:
    """A text in which 3·10⁻⁵ is 3e-5 again, and 10⁻⁵ is 1e-5."""
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    powers = re.compile("(?:([0-9.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
    return powers.sub(lambda found: f"{found[1] or 1}e{found[2].translate(raised)}", text)


def points(d: str) -> np.ndarray:
    """The corners of a path or polygon, shape (count, 2)."""
    return np.array(re.findall(r"(-?[\d.]+)[ ,](-?[\d.]+)", d), float)


def pixels(href: str) -> np.ndarray:
    """Red, green, blue and opacity of a bitmap, shape (rows, columns, 4)."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(href.partition(",")[2]))).convert("RGBA"))

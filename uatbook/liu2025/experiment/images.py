"""Small images as sequences of their rows: digits, files of MNIST's format, and noise of four kinds.

Source: liu2025, section 6, which has MNIST, Fashion-MNIST and CIFAR-10.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from uatlib.checks import choice, finite, path, seed

from ... import records

MAX_BYTES, MAX_AXES = 2**30, 8
TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
"""The third byte of an IDX file."""
ARMS = ("noise", "noise, same scale", "no noise, larger", "wrong labels")
MOST = 0.72
"""The largest level of the source; there are 25, .03 apart."""


class Images(NamedTuple):
    """X of shape (N, d, n), a row of an image as a token; labels (N,) from 0; how many classes there are."""

    X: np.ndarray
    labels: np.ndarray
    classes: int


def digits() -> Images:
    """1,797 images of digits, 8 x 8, in [0, 1].

    Source: Alpaydin and Kaynak, Optical recognition of handwritten digits, UCI machine learning repository, 1998, CC BY
    4.0: its test set, as scikit-learn has it.
    """
    with np.load(records.FOLDER / "digits.npz") as found:
        return Images(np.swapaxes(found["images"] / 16, 1, 2), found["labels"].astype(np.int64), 10)


def labelled(images: object, labels: object) -> Images:
    """Two IDX files, as of MNIST or Fashion-MNIST: bytes of shape (N, n, d), scaled to [0, 1], and (N,).

    Raises
    ------
    ValueError
        As `read_idx`; other shapes, no bytes, not as many labels as images.
    """
    pixels, found = read_idx(images), read_idx(labels)
    if pixels.ndim != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        raise ValueError(f"images: expected bytes of shape (N, n, d), got {pixels.dtype} of shape {pixels.shape}.")
    if found.shape != pixels.shape[:1] or found.dtype != np.uint8:
        expected, got = f"{len(pixels)} bytes, a label for each image", f"{found.dtype} of shape {found.shape}"
        raise ValueError(f"labels: expected {expected}, got {got}; take the two files of one set.")
    return Images(np.swapaxes(pixels / 255, 1, 2), found.astype(np.int64), int(found.max()) + 1)


def read_idx(file: object) -> np.ndarray:
    """The array in a file of the IDX format, plain or compressed by gzip, as it lies there: MNIST's format.

    Two bytes 0, one for the type, one for the number of axes; a big-endian int32 for each axis; the numbers.

    Raises
    ------
    ValueError
        No such file, another format or type, more than 2^30 bytes (refused before they are read), fewer or more
        numbers than the head of the file says, a broken gzip.
    """
    place = path("file", file)
    try:
        with place.open("rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
        with gzip.open(place) if packed else place.open("rb") as stream:
            return _parsed(place, stream)  # type: ignore[arg-type]
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"file: expected a file that can be read, got {place}: {error}; fetch it again.") from None


def _parsed(place: Path, stream: IO[bytes]) -> np.ndarray:
    def wrong(expected: str, got: object, hint: str = "it is another file, or a broken one") -> ValueError:
        return ValueError(f"{place.name}: expected {expected}, got {got}; {hint}.")

    head = stream.read(4)
    if len(head) < 4 or head[:2] != b"\0\0":
        raise wrong("an IDX file, which begins with two bytes 0", head)
    if head[2] not in TYPES:
        raise wrong(f"a type out of {', '.join(map(str, TYPES))} in the third byte", head[2])
    if not 1 <= head[3] <= MAX_AXES:
        raise wrong(f"1 to {MAX_AXES} axes by the fourth byte", head[3])
    sizes = stream.read(4 * head[3])
    if len(sizes) < 4 * head[3]:
        raise wrong(f"{head[3]} sizes of 4 bytes", f"{len(sizes)} bytes", "it is cut off")
    shape, kind = np.frombuffer(sizes, ">i4").tolist(), np.dtype(TYPES[head[2]])
    left, pieces = math.prod(shape) * kind.itemsize, []
    if min(shape) < 0 or left > MAX_BYTES:
        raise wrong(f"sizes of at least 0 and at most {MAX_BYTES:,} bytes in all", shape)
    while left and (piece := stream.read(min(left, 2**20))):
        pieces.append(piece)
        left -= len(piece)
    if left or stream.read(1):
        got = f"{left:,} bytes less" if left else "more"
        raise wrong(f"{math.prod(shape):,} numbers, as its head says", got, "it is cut off, or there is more than one")
    return np.frombuffer(b"".join(pieces), kind).reshape(shape).astype(kind.newbyteorder("="))


def noised(images: Images, arm: str, level: object, data_seed: int) -> Images:
    """The images with noise of one of four kinds, Z = X + level G with standard Gaussian G.

        "noise"              Z, as in the source's text
        "noise, same scale"  Z, moved and scaled to mean and standard deviation of X: all of Z's noise, none of its size
        "no noise, larger"   X, scaled to the standard deviation of Z with its own mean: none of the noise, all the size
        "wrong labels"       X, with this share of the labels drawn again at random, as in the caption of Figure 3

    Raises
    ------
    ValueError
        Another arm; a level below 0, or above 1000 (for labels: 1).

    Source: liu2025, section 6; the second and the third are ours.
    """
    choice("arm", arm, ARMS)
    level = finite("level", level, 0, 1 if arm == "wrong labels" else 1000)
    rng = np.random.default_rng([seed(data_seed, "data_seed"), ARMS.index(arm) == 3])
    X = images.X
    if arm == "wrong labels":
        drawn = rng.integers(0, images.classes, len(X))
        return images._replace(labels=np.where(rng.random(len(X)) < level, drawn, images.labels))
    Z = X + level * rng.standard_normal(X.shape)
    if arm == "noise, same scale":
        Z = X.mean() + (Z - Z.mean()) * (X.std() / Z.std())
    elif arm == "no noise, larger":
        Z = X.mean() + (X - X.mean()) * (Z.std() / X.std())
    return images._replace(X=Z)

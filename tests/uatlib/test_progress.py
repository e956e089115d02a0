"""Progress bars pass everything on, and stay out of the book."""

import os
import time

import pytest
import tqdm

from uatlib.internal.progress import progress


@pytest.mark.parametrize("terminal", ["", os.devnull])
def test_items_pass_through(monkeypatch, capsys, terminal):
    monkeypatch.setenv("UATLIB_TERMINAL", terminal)
    assert list(progress(range(5), "count")) == list(range(5))
    assert capsys.readouterr().err == ""


def test_a_loop_that_is_left_early_ends_its_bar(monkeypatch):
    """A notebook shows a bar that is closed before its total as red, and keeps it."""
    monkeypatch.delenv("UATLIB_TERMINAL", raising=False)
    ends = []

    class Bar(tqdm.tqdm):
        def close(self):
            ends.append((self.n, self.total))
            super().close()

    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    for k in progress(range(1000), "left"):
        if k == 3:
            break
    assert ends[0] == (3, 3)


def test_in_a_build_bars_go_to_the_builders_terminal(monkeypatch, capsys, tmp_path):
    for terminal, shown in ((tmp_path / "terminal", True), (tmp_path / "no" / "terminal", False)):
        monkeypatch.setenv("UATLIB_TERMINAL", str(terminal))
        assert list(progress(slowly(), "frames", total=3)) == [0, 1, 2]
        assert (terminal.exists() and "frames" in terminal.read_text()) == shown
    assert capsys.readouterr() == ("", "")


def slowly():
    for k in range(3):
        time.sleep(0.6)
        yield k


def test_long_work_shows_a_bar_unless_it_is_to_be_quiet(monkeypatch, capsys):
    for terminal, shown in (("", True), (os.devnull, False)):
        monkeypatch.setenv("UATLIB_TERMINAL", terminal)
        assert list(progress(slowly(), "slow work", total=3)) == [0, 1, 2]
        assert ("slow work" in capsys.readouterr().err) == shown

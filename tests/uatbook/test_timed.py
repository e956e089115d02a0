"""Readers' code that does not end is ended."""

import signal
import threading
import time

import pytest

from uatbook.timed import within


def test_a_loop_is_ended_and_the_clock_stands_still_afterwards():
    before = signal.getsignal(signal.SIGALRM)
    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"took more than 0\.2 seconds"), within(0.2):
        exec("while True: pass")
    assert time.monotonic() - began < 5
    with pytest.raises(TimeoutError, match="too large"), within(0.2, "too large", of_processor=True):
        exec("while True: pass")
    with within(0.1):
        pass
    time.sleep(0.2)
    assert signal.getsignal(signal.SIGALRM) is before


def test_elsewhere_it_lets_work_pass():
    done = []

    def work():
        with within(1):
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [1]

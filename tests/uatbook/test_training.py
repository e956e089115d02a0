"""Training beside other work: the same numbers on threads and on processes, and torch gets its threads back."""

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
import torch

from uatbook.training import one_thread
from uatbook.yun2020 import trained_mixers


def test_trained_mixers():
    options = {"mixers": ("average", "convolution"), "tasks": ("near",), "seeds": (0, 1), "steps": 3}
    before, alone = torch.get_num_threads(), trained_mixers.compare(**options)
    # A fork would copy the threads of torch half.
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))):
        with pool:
            assert trained_mixers.compare(**options, executor=pool) == alone
        assert torch.get_num_threads() == before
    with pytest.raises(ValueError, match=r"^executor: expected an Executor, got .*; take a ThreadPoolExecutor"):
        trained_mixers.compare(executor=2)


def test_torch_gets_its_threads_back_from_the_last():
    inner, outer = threading.Event(), threading.Event()
    before = torch.get_num_threads()
    torch.set_num_threads(3)

    def train():
        with one_thread():
            inner.set()
            outer.wait(10)

    try:
        with ThreadPoolExecutor(1) as pool, one_thread():
            done = pool.submit(train)
            assert inner.wait(10)
            outer.set()
            done.result()
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)

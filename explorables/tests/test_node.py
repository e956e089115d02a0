"""What asks node: one process, which starts again, keeps answers with their questions, and outlives nobody."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from explorables.live.node import Node

ECHO = """require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { say, after = 0 } = JSON.parse(line);
  if (say === "stop") process.exit(1);
  setTimeout(() => console.log(JSON.stringify([say, process.pid, ...process.argv.slice(2)])), after);
});"""


@pytest.fixture
def script(tmp_path) -> Path:
    (tmp_path / "echo.js").write_text(ECHO)
    return tmp_path / "echo.js"


def is_gone(pid: int) -> bool:
    """Whether this process ends within ten seconds."""
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_one_process_answers_all_questions(script):
    node = Node(script, "κ")
    (one, pid, *arguments), (two, same, *_) = node.ask({"say": "κ\n"}), node.ask({"say": 2})
    assert (one, two, arguments) == ("κ\n", 2, ["κ"])
    assert pid == same
    node.stop()
    assert is_gone(pid)


def test_a_process_that_was_stopped_starts_again(script):
    node = Node(script)
    _, pid = node.ask({"say": 1})
    psutil.Process(pid).kill()
    psutil.Process(pid).wait() if psutil.pid_exists(pid) else None
    assert node.ask({"say": 2})[0] == 2
    with pytest.raises(RuntimeError, match=r"^echo.js, which node runs, has stopped"):
        node.ask({"say": "stop"})
    assert node.ask({"say": 3})[0] == 3
    node.stop()


def test_an_interrupt_leaves_no_answer_behind(script):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background programs begin without
    node, main = Node(script), threading.main_thread().ident
    node.ask({"say": "begin"})
    threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        node.ask({"say": "late", "after": 60_000})
    assert node.ask({"say": "next"})[0] == "next"
    node.stop()


@pytest.mark.parametrize("end", ["pass", "raise SystemExit(1)", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_it_ends_with_python_however_python_ends(script, end):
    code = (
        "import os, pathlib, signal, sys; from explorables.live.node import Node; "
        "print(Node(pathlib.Path(sys.argv[1])).ask({'say': 1})[1], flush=True); " + end
    )
    run = subprocess.run([sys.executable, "-c", code, script], capture_output=True, text=True)
    assert is_gone(int(run.stdout)), run.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes fork on Unix alone")
def test_a_forked_process_asks_a_node_of_its_own(script):
    node = Node(script)
    _, ours = node.ask({"say": 1})
    here, there = multiprocessing.Pipe(duplex=False)
    forked = multiprocessing.get_context("fork").Process(target=lambda: there.send(node.ask({"say": 2})))
    forked.start()
    assert here.poll(30)
    assert here.recv()[1] != ours
    forked.join()
    assert node.ask({"say": 3}) == [3, ours]
    node.stop()

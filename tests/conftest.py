"""What tests of several modules share."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest
import torch

NO_GPU = "no GPU here"
FULL = "left to the full round, CI=full"


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, pytest.mark.filterwarnings("default")])])
def device(request: pytest.FixtureRequest) -> str:
    """Where a test runs: on the CPU, and on a GPU where there is one. (Warnings of torch about one are no failure.)"""
    if request.param != "cpu" and not torch.cuda.is_available():
        pytest.skip(NO_GPU)
    return str(request.param)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count and name the tests that wanted a GPU, or Rocq, and those of the full round."""
    skipped = terminalreporter.stats.get("skipped", ())
    for reason in (NO_GPU, "no Rocq here", FULL):
        reports = [report for report in skipped if report.longrepr[2].endswith(reason)]
        names = Counter(report.nodeid.rpartition("::")[2].partition("[")[0] for report in reports)
        if names:
            shown = ", ".join(name if count == 1 else f"{name} ({count})" for name, count in sorted(names.items()))
            terminalreporter.write_line(f"{reason}: {len(reports)} tests not run: {shown}")


@pytest.fixture(autouse=True)
def bounded_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """8 GiB beyond what is taken, so that a size that nobody refused is an error and not the end of the machine.

    Not where browsers start or a GPU is, which reserve over 32 GiB of addresses; and where the system counts addresses
    at all.
    """
    if sys.platform != "linux" or "pages" in request.path.parts or torch.cuda.is_available():
        yield
        return
    import resource

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + 8 * 2**30, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.fixture(autouse=True)
def our_settings_as_they_were() -> Iterator[None]:
    """Later tests would stand on a setting that one leaves behind, and nobody who runs it alone would see it."""
    before = settings()
    yield
    assert settings() == before


def settings() -> dict[str, str]:
    """What the environment says to this project."""
    return {name: value for name, value in os.environ.items() if name.startswith(("UATLIB_", "EXPLORABLES_"))}


@pytest.fixture
def closed_figures() -> Iterator[None]:
    """Pictures drawn without a screen, closed at the end; the style that a test sets is its own."""
    matplotlib.use("agg")
    with matplotlib.rc_context():
        yield
        plt.close("all")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a worker that waits for its browser, or for a second to pass, leaves one idle."""
    return (os.cpu_count() or 1) + 1


def about(item: pytest.Item) -> str:
    """The statement that a test is about, or the test itself."""
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    one = given.get("id", given.get("statement"))
    return str(getattr(one, "id", one)) if one is not None else item.nodeid


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what is marked `full` to the full round, unless its file is named.

    Let every worker begin with its share of the pages, which take longest: what is left at the end is short.

    Workers get equal parts of the list, and take from each other's ends (--dist worksteal). So tests of one statement
    stand together: what the first has built serves the others where they run in the same process.
    """
    named = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    for item in items:
        if item.get_closest_marker("full") and os.environ.get("CI") != "full" and item.path not in named:
            item.add_marker(pytest.mark.skip(reason=FULL))
    at = {item: place for place, item in enumerate(items)}
    first: dict[tuple[Path, str], int] = {}
    for item in items:
        first.setdefault((item.path, about(item)), at[item])
    items.sort(key=lambda item: (first[item.path, about(item)], at[item]))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.path.name == "test_pages.py"]
    short = [item for item in items if item.path.name != "test_pages.py"]
    dealt: list[pytest.Item] = []
    for worker in range(workers):
        mine = long[worker::workers]
        room = (len(items) - len(dealt)) // (workers - worker) - len(mine)
        dealt += [*mine, *short[: max(room, 0)]]
        del short[: max(room, 0)]
    items[:] = [*dealt, *short]

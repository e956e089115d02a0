"""Kernels that start at once: each is forked from one process that has imported what nearly every page imports.

PyTorch and matplotlib take over two seconds of the processor to import, with 44 pages a fifth of what their cells take.
The modules of the project are left to the pages, each of which notes what it has loaded. Only on Linux: elsewhere
libraries that have been imported do not all live through a fork.
"""

import json
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import EntryPoint
from threading import Lock
from typing import Any

import psutil
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

SERVER = """
import gc, json, os, signal, sys
sys.path.remove("")  # the folder of the build, as ipykernel_launcher does
os.environ["JPY_PARENT_PID"] = str(os.getpid())  # kernels end where they lose this process
import ipykernel.kernelapp, matplotlib.pyplot, torch, torch._dynamo  # the last comes with the first optimizer
gc.collect()
gc.freeze()  # kernels need not look for cycles among what is imported here: a tenth of the time of a figure
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    if child := os.fork():
        print(child, flush=True)
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    given = json.loads(line)
    os.chdir(given["cwd"])
    os.environ.clear()
    os.environ.update(given["env"])
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    ipykernel.kernelapp.launch_new_instance(argv=given["command"])
    os._exit(0)
"""
INLINE = "module://matplotlib_inline.backend_inline"
"""What a kernel tells matplotlib before it is imported."""
FORKS = sys.platform == "linux"
_LOCK = Lock()


class Forked(LocalProvisioner):
    """A kernel of the process that has imported much."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> KernelConnectionInfo:
        """Fork it; `cmd` is the interpreter, "-m", the module, and what that is to read."""
        line = json.dumps({"command": cmd[3:], "cwd": str(options.get("cwd", ".")), "env": dict(options["env"])})
        with _LOCK:
            server = _server()
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(line + "\n")
            server.stdin.flush()
            self.process = _Kernel(int(server.stdout.readline()))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Kernel(psutil.Process):  # type: ignore[misc]
    """What `Forked` asks of a process of `subprocess`."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """None while it runs."""
        return None if self.is_running() else 0


@cache
def _server() -> subprocess.Popen[str]:
    environment = {"MPLBACKEND": INLINE, **os.environ}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", SERVER], env=environment, **pipes)


def fork() -> None:
    """From here on kernels are forked, where that is sound; what they are forked from gets ready meanwhile."""
    if FORKS:
        _server()
        factory = KernelProvisionerFactory.instance()
        factory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:Forked", factory.GROUP_NAME)
        factory.default_provisioner_name = "forked"


def end() -> None:
    """Kill all kernels: where a build is broken off, nothing tells them."""
    for process in psutil.Process().children(recursive=True):
        if "ipykernel" in " ".join(process.cmdline()):  # the module that runs, or that SERVER names
            process.kill()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that Python programs make after they have computed: each computes on xomp again, in
as many threads."""

import os
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

from in_python import python, write_module

# Each prints the word of the parent, and then those of its children.
POOL = """
import multiprocessing, sys
from places import place
if __name__ == "__main__":
    print(place())
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(*pool.map(place, range(4)), sep="\\n")
"""
LOKY = """
from loky import get_reusable_executor
from places import place
if __name__ == "__main__":
    print(place())
    print(*get_reusable_executor(max_workers=2).map(place, range(4)), sep="\\n")
"""
LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset
from places import place
class Places(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return place() if float(torch.ones(300, 300).mm(torch.ones(300, 300)).sum()) == 27e6 else ""
if __name__ == "__main__":
    print(Places()[0])
    loader = DataLoader(Places(), num_workers=2, multiprocessing_context="fork")
    print(*(word for batch in loader for word in batch), sep="\\n")
"""
LIMITS = """
import threadpoolctl
from places import library, place
place()
found = threadpoolctl.threadpool_info()
print([each["num_threads"] for each in found if each["user_api"] == "openmp"])
with threadpoolctl.threadpool_limits(2):
    print(place())
print(place())
"""
APPLICATION = """
from places import place
before = place()
def application(environment, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{before}\\n{place()}\\n".encode()]
"""


@pytest.fixture
def run(root, tmp_path, compile_c, library):
    """Runs a program's text on xomp as `xomp.use()` and as `python -m xomp run` do."""
    write_module(tmp_path, compile_c)

    def run_text(text: str, *arguments: str) -> list[str]:
        used, plain = tmp_path / "used.py", tmp_path / "plain.py"
        used.write_text(f"import xomp\nxomp.use()\n{text}")
        plain.write_text(text)
        results = [
            python(root, used, *arguments),
            python(root, "-m", "xomp", "run", plain, *arguments),
        ]
        for done in results:
            assert done.returncode == 0, done.stderr
        assert results[0].stdout == results[1].stdout
        return results[0].stdout.splitlines()

    return run_text


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_multiprocessing(run, method):
    assert run(POOL, method) == ["xomp 3"] * 5


def test_loky(run):
    if not find_spec("loky"):
        pytest.skip("there is no Python package loky")
    # It gives each worker its share of the processors.
    share = max(1, len(os.sched_getaffinity(0)) // 2)
    parent, *children = run(LOKY)
    assert parent == "xomp 3"
    assert set(children) <= {f"xomp {share}", "xomp 3"} and len(children) == 4


def test_a_loader_of_pytorch(run):
    if not find_spec("torch"):
        pytest.skip("there is no Python package torch")
    # PyTorch chooses the number of threads itself; a worker of a loader asks for one.
    words = run(LOADER)
    assert len(words) == 5
    assert {word.partition(" ")[0] for word in words} == {"xomp"}


def test_threadpoolctl_knows_and_limits_xomp(run):
    if not find_spec("threadpoolctl"):
        pytest.skip("there is no Python package threadpoolctl")
    assert run(LIMITS) == ["[3]", "xomp 2", "xomp 3"]


def test_a_server_that_forks_its_workers_after_it_computed(root, tmp_path, compile_c, library):
    if not find_spec("gunicorn"):
        pytest.skip("there is no Python package gunicorn")
    write_module(tmp_path, compile_c)
    (tmp_path / "served.py").write_text(APPLICATION)
    words = [root / "xomp", "run", "--lib", library, sys.executable, "-m", "gunicorn"]
    words += ["--preload", "--workers=2", "served:application"]
    # The test's own socket: a question waits in it until the server has started.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = subprocess.Popen(
            [*words, f"--bind=fd://{listening.fileno()}"],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "3"},
            pass_fds=[listening.fileno()],
            stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(4):
                assert ask(listening.getsockname()).endswith("\r\n\r\nxomp 3\nxomp 3\n")
        finally:
            server.terminate()
            server.wait(timeout=300)


def ask(address) -> str:
    with socket.create_connection(address, timeout=300) as client:
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        answer = b""
        while part := client.recv(4096):
            answer += part
    return answer.decode()

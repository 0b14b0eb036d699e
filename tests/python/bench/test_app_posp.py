# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The application posp: the plot that it leaves, read with another implementation of BLAKE3."""

import subprocess
from struct import pack, unpack

import pytest

from xomp.shared import apps
from xomp.shared.errors import MissingToolError

MASK = 0xFFFFFFFF
START = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A)
START += (0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
LANES = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
LANES += ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def rotate(word, bits):
    return (word >> bits | word << (32 - bits)) & MASK


def blake3(message):
    """The hash of up to 64 bytes: one compression (BLAKE3 paper, sections 2.1 and 2.2)."""
    block = list(unpack("<16I", message.ljust(64, b"\0")))
    start_end_root = 1 | 2 | 8
    state = [*START, *START[:4], 0, 0, len(message), start_end_root]
    for _ in range(7):
        for index, (a, b, c, d) in enumerate(LANES):
            for word, by_d, by_b in ((block[2 * index], 16, 12), (block[2 * index + 1], 8, 7)):
                state[a] = (state[a] + state[b] + word) & MASK
                state[d] = rotate(state[d] ^ state[a], by_d)
                state[c] = (state[c] + state[d]) & MASK
                state[b] = rotate(state[b] ^ state[c], by_b)
        block = [block[index] for index in ORDER]
    return pack("<8I", *(state[i] ^ state[i + 8] for i in range(8)))


@pytest.fixture(scope="module")
def posp():
    try:
        program = apps.build("posp")
    except MissingToolError as error:
        pytest.skip(str(error))

    def run(*arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)

    return run


@pytest.mark.parametrize(
    ("message", "begin"), [(b"", "af1349b9f5f9a1a6a0404dea36dcc949"), (b"\0", "2d3adedff11b61f1")]
)
def test_this_files_blake3_gives_the_official_vectors(message, begin):
    assert blake3(message).hex().startswith(begin)


@pytest.mark.parametrize("variant", ["tied", "untied", "serial"])
def test_the_plot_holds_right_puzzles_in_order(posp, tmp_path, variant):
    file = tmp_path / "plot"
    options = ("--k", 8, "--memory", 3, "--batch", 3, "--seed", 5)
    done = posp("--variant", variant, "--file", file, *options)
    assert done.returncode == 0 and " ok=1 " in done.stdout
    plot = file.read_bytes()
    puzzles = [plot[at : at + 32] for at in range(0, len(plot), 32)]
    assert len(puzzles) == 256
    assert puzzles == sorted(puzzles)
    assert [puzzle[0] >> 4 for puzzle in puzzles] == [place // 16 for place in range(256)]
    seed = (5).to_bytes(32, "little")
    for puzzle in puzzles:
        assert blake3(seed + puzzle[28:])[:28] == puzzle[:28]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--file", "/nowhere/plot"), "cannot write /nowhere/plot: No such file or directory"),
        (("--k", 30, "--memory", 1), "--memory 1 does not hold a puzzle of each of 32768 buckets"),
        (("--k", 33), "--k must be an integer from 4 to 32, not '33'"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(posp, options, message):
    done = posp(*options)
    assert done.returncode == 2
    assert done.stderr == f"posp: {message}\n"

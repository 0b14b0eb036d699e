# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An interruption leaves a pool's threads able to end."""

import os
import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from xomp.shared.pool import as_they_end


def test_all_come_and_failures_with_them():
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(divmod, 7, number) for number in (2, 0, 3)]
        ended = list(as_they_end(futures))
    assert set(ended) == set(futures)
    assert [future.exception() is None for future in futures] == [True, False, True]


def test_no_future_stays_locked_after_an_interruption():
    futures = sorted((Future(), Future()), key=id)  # the order in which `as_completed` locks them
    held, given_back = threading.Event(), threading.Event()

    def hold():
        with futures[1]._condition:  # as its thread does when it ends
            held.set()
            given_back.wait()

    def interrupt():
        time.sleep(0.2)  # the main thread waits for it
        os.kill(os.getpid(), signal.SIGINT)

    threads = [threading.Thread(target=work) for work in (hold, interrupt)]
    threads[0].start()
    held.wait()
    threads[1].start()
    with pytest.raises(KeyboardInterrupt):
        next(as_they_end(futures))
    given_back.set()
    ends = [threading.Thread(target=each.set_result, args=(1,), daemon=True) for each in futures]
    for thread in ends:
        thread.start()
    for thread in threads + ends:
        thread.join(10)
        assert not thread.is_alive()

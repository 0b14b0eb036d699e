# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run beside a test."""

import contextlib
import os
import signal
import subprocess


@contextlib.contextmanager
def started(command, **options):
    """A process in a group of its own. A test that fails ends the group: who leaves Popen's own
    context waits for the process, and nobody else is left to end it."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the chosen tests, then runs each on every runtime, one run at a time by default."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from xomp.conformance import execute
from xomp.conformance.build import Binary, Builder
from xomp.conformance.execute import Result, Runtime
from xomp.conformance.plan import Test
from xomp.conformance.progress import Progress
from xomp.conformance.store import Store
from xomp.errors import BadInputError
from xomp.shared import processes
from xomp.shared.pool import as_they_end

UNSUPPORTED, UNBUILT = "unsupported", "unbuilt"


@dataclass
class Outcome:
    """A test with what happened to it; ``results`` is keyed by the runtime's name."""

    test: Test
    binary: Binary | None = None
    results: dict[str, Result] = field(default_factory=dict)

    def on(self, runtime: str) -> str:
        """pass, fail, timeout, unsupported, unbuilt, or "-" where it was not run."""
        if self.test.unsupported:
            return UNSUPPORTED
        if self.binary is not None and self.binary.path is None:
            return UNBUILT
        return self.results[runtime].outcome if runtime in self.results else "-"


class WrongLibraryError(BadInputError):
    """The dynamic linker would not load the library that the run is about."""


def build(tests: list[Test], builder: Builder, jobs: int, progress: Progress) -> list[Outcome]:
    """Outcomes in the tests' order, each with its binary."""
    outcomes = {test.name: Outcome(test) for test in tests}
    wanted = [test for test in tests if not test.unsupported]
    with progress.phase("build", len(wanted)):
        for test, binary in builder.build_all(wanted, jobs):
            outcomes[test.name].binary = binary
            word = "refused" if binary.path is None else "cached" if binary.cached else "built"
            progress.advance(word, test.name)
    return list(outcomes.values())


def check_libraries(outcomes: list[Outcome], runtimes: list[Runtime]) -> None:
    """Before anything counts as a result for a runtime, see that it is the one that is loaded."""
    sample = next((o.binary.path for o in outcomes if o.binary and o.binary.path), None)
    if sample is None:
        return
    for runtime in runtimes:
        loaded = execute.loaded_library(sample, runtime)
        expected = runtime.path().resolve()
        if loaded != expected:
            raise WrongLibraryError(f"{runtime.name}: {loaded} is loaded instead of {expected}")


def run(
    outcomes: list[Outcome],
    runtimes: list[Runtime],
    store: Store,
    jobs: int,
    repeat: int,
    progress: Progress,
) -> None:
    """Run every test on all runtimes in turn, before the next test starts."""
    ready = [o for o in outcomes if o.binary is not None and o.binary.path is not None]
    identities = {runtime.name: runtime.identity() for runtime in runtimes}

    stopped = threading.Event()

    def run_one(outcome: Outcome) -> Outcome:
        assert outcome.binary is not None and outcome.binary.path is not None
        for runtime in runtimes:
            key = Store.key(outcome.binary.key, identities[runtime.name], repeat)
            result = store.get(key)
            if result is None:
                result = execute.run(outcome.test, outcome.binary.path, runtime, repeat)
                if stopped.is_set():  # and the test with it: that says nothing of the runtime
                    break
                store.put(key, result)
            outcome.results[runtime.name] = result
        return outcome

    with progress.phase("run", len(ready)), ThreadPoolExecutor(max_workers=jobs) as pool:
        try:  # an interruption may come while they are being handed out
            futures = [pool.submit(run_one, outcome) for outcome in ready]
            for future in as_they_end(futures):
                _tell(progress, future.result(), runtimes)
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            processes.end_all()
            raise


def _tell(progress: Progress, outcome: Outcome, runtimes: list[Runtime]) -> None:
    bad = [r.name for r in runtimes if outcome.on(r.name) != execute.PASS]
    progress.advance("failed" if bad else "passed", outcome.test.name)
    if bad:
        told = ", ".join(f"{name}: {outcome.results[name].detail}" for name in bad)
        progress.note(f"{outcome.test.name}  {told}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every application gives its checked result on every runtime that is installed, at size test.

Every variant on libgomp and xomp with two threads; the default variant also on the other runtimes,
and on xomp with one and eight threads, which take others many times as long on few processors.
"""

import pytest

from xomp.bench import plan
from xomp.bench.run import run
from xomp.shared import apps
from xomp.shared.errors import MissingToolError
from xomp.shared.runtimes import find_all

LIMIT = 30.0
EVERY_VARIANT_ON = ("libgomp", "xomp")


@pytest.fixture(scope="module")
def runtimes():
    found, _ = find_all(["libgomp", "libomp", "libiomp5", "xomp"])
    if "xomp" not in {runtime.label for runtime in found}:
        pytest.skip("xomp is not built")
    return found


def jobs_of(name, runtimes):
    variants = [variant["name"] for variant in apps.describe(name)["variants"]]
    default, *others = plan.select([f"{name}:all"], ["test"]).cases
    assert [default.variant, *(case.variant for case in others)] == variants
    both = [runtime for runtime in runtimes if runtime.label in EVERY_VARIANT_ON]
    ours = [runtime for runtime in runtimes if runtime.label == "xomp"]
    jobs = plan.jobs([default], runtimes, [2], LIMIT) + plan.jobs([default], ours, [1, 8], LIMIT)
    return jobs + plan.jobs(others, both, [2], LIMIT)


@pytest.mark.parametrize("name", sorted(apps.discover()))
def test_application_gives_the_right_result(name, runtimes):
    try:
        apps.build(name)
    except MissingToolError as error:
        pytest.skip(str(error))
    jobs = jobs_of(name, runtimes)
    assert jobs
    outcomes = [run(job) for job in jobs]
    failed = [f"{o.job.describe()}: {o.failure}" for o in outcomes if o.failure]
    assert failed == []
    assert all(outcome.record["ok"] == 1 for outcome in outcomes)

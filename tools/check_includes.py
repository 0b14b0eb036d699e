#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes in runtime/ point downwards.

A layer may include itself and the layers that are listed for it. A layer inside another one, as
sched/papers, is a layer of its own: neither may include the other unless it is listed.
"""

import re
import sys
from pathlib import Path

RUNTIME = Path(__file__).resolve().parent.parent / "runtime"

TOLD = {"events", "ompt", "trace", "conf", "place", "sys"}
TASKS = {"task", "sched", "queue"} | TOLD
CORE = {"team"} | TASKS
# The layers of ARCHITECTURE.md. A layer not listed as a key does not exist.
MAY_INCLUDE = {
    "sys": set(),
    "queue": {"sys"},
    "place": {"sys"},
    "conf": {"place", "sys"},
    "trace": {"conf", "place", "sys"},
    "ompt": {"trace", "conf", "place", "sys"},
    "events": TOLD,
    "sched": {"queue"} | TOLD,
    "sched/papers": {"sched", "queue"} | TOLD,
    "task": TASKS,
    "team": CORE,
    "locks": CORE,
    "memory": CORE | {"locks"},
    "worksharing": CORE | {"locks"},
    "target": CORE,
    "abi": CORE | {"locks", "memory", "worksharing", "target"},
}
# Parts of a layer that are no layers.
FOLDERS = {"abi/gnu": "abi", "abi/llvm": "abi", "abi/omp": "abi"}
# The tools' interface is for where events are told, and above; other public headers for the
# entry points.
PUBLIC_HEADER_OF = {"omp-tools.h": "trace"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def layer_of(path: str) -> str:
    """The layer of a file, by its path in runtime/."""
    folder = path.rpartition("/")[0]
    return FOLDERS.get(folder, folder)


def complaints(source: Path, runtime: Path) -> list[str]:
    """What is wrong with the includes of one source."""
    name = source.relative_to(runtime).as_posix()
    layer = layer_of(name)
    allowed = {layer} | MAY_INCLUDE[layer]
    found = []
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        target_layer = layer_of(target)
        where = f"{source.relative_to(runtime.parent)}:{number}"
        if not (runtime / target).is_file():
            if not (runtime.parent / "include" / target).is_file():
                found.append(f'{where}: "{target}" is neither in runtime/ nor in include/')
                continue
            home = PUBLIC_HEADER_OF.get(target, "abi")
            if home not in allowed:
                found.append(f'{where}: {layer}/ may not include the public header "{target}"')
        elif target_layer not in allowed:
            found.append(f'{where}: {layer}/ may not include "{target}"')
    return found


def main() -> int:
    runtime = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else RUNTIME
    found = []
    for source in sorted(runtime.rglob("*")):
        if source.suffix not in {".h", ".cc", ".inc", ".def"}:
            continue
        layer = layer_of(source.relative_to(runtime).as_posix())
        if layer not in MAY_INCLUDE:
            found.append(f"{source.relative_to(runtime.parent)}: '{layer}' is not a layer")
            continue
        found += complaints(source, runtime)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

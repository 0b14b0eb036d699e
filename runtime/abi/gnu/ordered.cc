// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_ordered_*.
#include "worksharing/ordered.h"

#include "abi/export.h"

XOMP_EXPORT void GOMP_ordered_start() { xomp::ordered_start(xomp::me()); }
XOMP_EXPORT void GOMP_ordered_end() { xomp::ordered_end(xomp::me()); }

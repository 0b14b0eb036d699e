// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HOLDS(condition): as CHECK, where a program may not run its exit handlers: in those themselves,
// and in a tool's callbacks.
#pragma once
#include <unistd.h>

#include "check.h"

#define HOLDS(condition) CHECK_OR(_exit, condition)

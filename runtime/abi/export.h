// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an entry point is declared: C linkage and visible outside the library, which hides the rest.
#pragma once

#define XOMP_EXPORT extern "C" __attribute__((visibility("default"), aligned(64)))

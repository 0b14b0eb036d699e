// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose code an address is.
#pragma once

namespace ompt_check {

/// Learns where the runtime's code lies (`of_runtime` is a function in it) and the tool's own.
void learn_places(const void* of_runtime);

enum class Owner { kNobody, kRuntime, kTool, kProgram };

/// kProgram: the program's, or one of its libraries'.
Owner owner_of(const void* address);

/// Whether the address lies on the calling thread's stack.
bool on_this_stack(const void* address);

} // namespace ompt_check

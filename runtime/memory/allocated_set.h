// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The set of addresses that came from an OpenMP allocator and are asked for: a Fortran program
// compiled with -fopenmp-allocators asks before it frees or reallocates an allocatable variable,
// and objects of `depobj` are told apart by it.
#pragma once

namespace xomp {

void add_allocated(void* memory);
bool is_allocated(const void* memory);
/// Whether the address was in the set; afterwards it is not.
bool remove_allocated(void* memory);

/// In the child after fork: another thread may have been in the middle of any of this.
void repair_allocated_set_after_fork();

} // namespace xomp

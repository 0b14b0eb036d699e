// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task reductions: of a taskgroup, of a worksharing construct, of parallel.
#include "task/reduction.h"

#include "abi/export.h"
#include "abi/omp/versions.h"
#include "worksharing/task_reduction.h"

using namespace xomp;

XOMP_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t* chain) {
  register_group_reductions(me(), chain);
}
XOMP_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t* chain) {
  unregister_reductions(chain);
}

XOMP_EXPORT void GOMP_task_reduction_remap(std::size_t count, std::size_t originals,
                                           void** addresses) {
  remap_reductions(me(), count, originals, addresses);
}

XOMP_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  end_reductions(me(), cancelled, __builtin_return_address(0));
}

XOMP_EXPORT unsigned GOMP_parallel_reductions(void (*body)(void*), void* data, unsigned threads,
                                              unsigned flags) {
  return parallel_reductions(body, data, threads, flags,
                             {__builtin_return_address(0), __builtin_dwarf_cfa()});
}

XOMP_ALSO_VERSION(GOMP_5.0, GOMP_parallel_reductions, GOMP_task_reduction_remap,
                  GOMP_taskgroup_reduction_register, GOMP_taskgroup_reduction_unregister,
                  GOMP_workshare_task_reduction_unregister);

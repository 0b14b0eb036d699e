// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/gnu/depend.h"

namespace xomp::gnu {

Dependence read_object(const DependObject& object) {
  switch (object.kind) {
  case 1:
    return {object.address, Access::kIn};
  case 4:
    return {object.address, Access::kMutexinoutset};
  case 5:
    return {object.address, Access::kInoutset};
  default: // 2 out, 3 inout
    return {object.address, Access::kOut};
  }
}

} // namespace xomp::gnu

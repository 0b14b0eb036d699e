// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/gnu/depend.h"

namespace xomp::gnu {

Dependence read_object(const DependObject& object) {
  switch (object.kind) {
  case DependObject::kIn:
    return {object.address, Access::kIn};
  case DependObject::kMutexinoutset:
    return {object.address, Access::kMutexinoutset};
  case DependObject::kInoutset:
    return {object.address, Access::kInoutset};
  case DependObject::kOut:
  case DependObject::kInout:
    break;
  }
  return {object.address, Access::kOut};
}

} // namespace xomp::gnu

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two addresses lie in the same loaded object: the program or one library. `dladdr` would
// look through all symbols of the object besides, some 20 microseconds for the C library.
#pragma once

namespace xomp::sys {

bool in_same_object(const void* one, const void* other);

} // namespace xomp::sys

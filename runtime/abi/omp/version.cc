// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xomp_version, and the version as a string in the file, for tools that do not load it.
#include "xomp.h"

#include "abi/export.h"

namespace {

/// An ELF note, as the System V ABI lays it out: the loader ignores it, `readelf -n` shows it, and
/// the command line finds it in the first page of the file.
struct VersionNote {
  unsigned name_bytes;
  unsigned version_bytes;
  unsigned kind;
  char name[8];
  alignas(4) char version[sizeof XOMP_VERSION];
};

[[gnu::used, gnu::section(".note.xomp")]] alignas(4) constexpr VersionNote kNote = {
    sizeof "xomp", sizeof XOMP_VERSION, 1, "xomp", XOMP_VERSION};

} // namespace

XOMP_EXPORT const char* xomp_version() { return XOMP_VERSION; }

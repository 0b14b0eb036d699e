// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each construct twice: ok_NAME orders all accesses with it, race_NAME leaves that out. Built with
// -fsanitize=thread and run with Archer, the first must be silent and the second must be reported,
// at a place in the function of that name.
//
//   constructs ok [NAME...]      constructs race [NAME...]      constructs list
#include <string.h>

#include "parts.h"

static const struct Part* const lists[] = {region_parts, exclusion_parts,  worksharing_parts,
                                           task_parts,   dependence_parts, reduction_parts};

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  for (size_t list = 0; list < sizeof lists / sizeof *lists; ++list) {
    for (const struct Part* part = lists[list]; part->name; ++part) {
      int wanted = count == 2;
      for (int i = 2; i < count; ++i)
        wanted |= strcmp(words[i], part->name) == 0;
      if (strcmp(what, "list") == 0)
        puts(part->name);
      else if (wanted && strcmp(what, "ok") == 0)
        part->ok();
      else if (wanted && strcmp(what, "race") == 0)
        part->race();
    }
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/domains.h"

#include "place/domains.h"

namespace xomp {
namespace {

int domain_of(const Member& member, int threads) {
  return member.place >= 0 ? domain_of_place(member.place) : domain_of_worker(member.id, threads);
}

} // namespace

bool domains_change(const Team& team, int threads) {
  // Without places a member's domain follows from the size of the team.
  if (place_count() == 0 || threads == 1 || domain_count() == 1) [[likely]]
    return false;
  for (int i = 0; i < threads; ++i) {
    if (team.members[i]->domain != domain_of(*team.members[i], threads))
      return true;
  }
  return false;
}

void enter_domains(Team& team, int threads) {
  bool several = threads > 1 && domain_count() > 1;
  for (int i = 0; i < threads; ++i)
    team.members[i]->domain = several ? domain_of(*team.members[i], threads) : 0;
}

} // namespace xomp

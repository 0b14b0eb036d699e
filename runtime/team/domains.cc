// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/domains.h"

#include "conf/settings.h"
#include "place/domains.h"
#include "task/environment.h"
#include "team/policies.h"

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

int current_domain(const Member& member) {
  const Member* each = &member;
  while (each->count == 1 && each->team->creator)
    each = each->team->creator;
  if (each->count > 1)
    return each->domain;
  int place = each->thread->places.place;
  return place >= 0 ? domain_of_place(place) : 0;
}

void set_child_domain(Member& member, int domain) {
  bool known = domain >= 0 && domain < domain_count();
  own_env(member).child_domain = known ? domain : -1;
  if (!policy_of(settings.scheduler).place || settings.locality == LocalityMode::kOblivious)
    return;
  // Every creation has to ask where the task belongs, so none may be run at once unseen.
  member.places_tasks = true;
  member.gate.store(kGateOpen, std::memory_order_relaxed);
}

} // namespace xomp

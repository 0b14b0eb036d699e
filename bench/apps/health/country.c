// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the country of Health, and adds it up.
#include "health.h"

#include "../../frame/app.h"
#include "../../frame/locality.h"

#include <stdlib.h>

Country country;

static long people_at(int level) { return (country.ratio) << level; }

static long people_below(int level) {
  return people_at(level) + (level > 1 ? country.cities * people_below(level - 1) : 0);
}

long country_people(void) { return people_below((int)country.levels); }

// The village with its people behind it in one piece of memory. Its streams follow from its place
// in the tree: villages are numbered as in a heap, and their people draw from there on.
static Village* settle(Village* above, int level, uint32_t number, int32_t first) {
  long people = people_at(level), below = level > 1 ? country.cities : 0;
  Village* village =
      calloc(1, sizeof(Village) + below * sizeof(Village*) + people * sizeof(Person));
  if (village == NULL)
    app_reject("out of memory for %ld people", country_people());
  village->above = above;
  village->level = level;
  village->count = below;
  village->below = (Village**)(village + 1);
  village->nurses = village->nurses_free = 1 << level;
  omp_init_lock(&village->referral);

  Person* person = (Person*)(village->below + below);
  int32_t stream = (int32_t)(number * (127773u + (uint32_t)country.seed));
  for (long i = 0; i < people; i++, person++) {
    person->id = first + (int32_t)i;
    person->stream = stream;
    stream = stream_next(stream);
    append(&village->home, person);
  }
  return village;
}

static Village* settle_all(Village* above, int level, uint32_t number, int32_t first);

// The suite settles the highest number first, and ids are given in that order.
static Village* settle_below(Village* village, long index, uint32_t number, int32_t first) {
  int level = village->level - 1;
  int32_t before = (int32_t)(people_at(village->level) + index * people_below(level));
  uint32_t own = number * (uint32_t)country.cities + (uint32_t)(country.cities - index);
  return settle_all(village, level, own, first + before);
}

static Village* settle_all(Village* above, int level, uint32_t number, int32_t first) {
  Village* village = settle(above, level, number, first);
  for (long i = 0; i < village->count; i++)
    village->below[i] = settle_below(village, i, number, first);
  return village;
}

Village* country_build(void) { return settle_all(NULL, (int)country.levels, 0, 0); }

int domain_below(const Village* top, long index) {
  return (int)(index * locality_domains() / top->count);
}

// Paper 3, section 6, "spread-init": first touch puts a subtree's memory where its tasks will run.
Village* country_build_spread(void) {
  Village* top = settle(NULL, (int)country.levels, 0, 0);
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < top->count; i++) {
    locality_children(domain_below(top, i));
#pragma omp task
    top->below[i] = settle_below(top, i, 0, 0);
  }
  return top;
}

void country_free(Village* village) {
  for (long i = 0; i < village->count; i++)
    country_free(village->below[i]);
  omp_destroy_lock(&village->referral);
  free(village);
}

static long add_up(const List* list, Totals* totals) {
  long count = 0;
  for (const Person* person = list->first; person; person = person->next, count++) {
    totals->visits += person->visits;
    totals->days += person->days;
    totals->days_single += person->days;
  }
  totals->people += count;
  return count;
}

// The suite adds the days in single precision, subtrees first; above 2^24 days the average shows
// it.
static Totals visit(Village* village) {
  Totals totals = {.sound = 1, .hospitals = 1, .nurses = village->nurses};
  for (long i = village->count - 1; i >= 0; i--) {
    Totals below = visit(village->below[i]);
    totals.people += below.people;
    totals.hospitals += below.hospitals;
    totals.nurses += below.nurses;
    totals.visits += below.visits;
    totals.home += below.home;
    totals.waiting += below.waiting;
    totals.assessed += below.assessed;
    totals.staying += below.staying;
    totals.days += below.days;
    totals.days_single += below.days_single;
    totals.sound &= below.sound;
  }
  totals.home += add_up(&village->home, &totals);
  totals.waiting += add_up(&village->waiting, &totals);
  long assessed = add_up(&village->assessed, &totals), staying = add_up(&village->staying, &totals);
  totals.assessed += assessed;
  totals.staying += staying;
  totals.sound &= village->nurses_free + assessed + staying == village->nurses;
  return totals;
}

Totals country_totals(Village* top) { return visit(top); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Health: the Colombian health care system as the Barcelona suite (BOTS) and Olden before it model
// it. A country is a tree of villages; a village at level n has 2^n nurses and n-fold people. Each
// day people fall ill, wait, are assessed, stay, or are referred to the hospital one level up. Each
// person draws from an own stream of random numbers, so that the outcome does not depend on order.
#ifndef XOMP_BENCH_HEALTH_H
#define XOMP_BENCH_HEALTH_H

#include <omp.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  long levels, cities, ratio, days; // cities: villages below each; ratio: people per nurse
  long assess_days, stay_days;
  long seed;
  float sick, stay, refer; // probabilities
} Country;

typedef struct Person Person;
struct Person {
  Person *next, *previous;
  int32_t id; // in the order of a depth-first walk: who is referred on the same day enters by it
  int32_t stream;
  int32_t days;      // spent in hospitals so far
  int32_t days_left; // of the assessment or the stay
  int32_t visits;
};

typedef struct {
  Person *first, *last;
} List;

typedef struct Village Village;
struct Village {
  Village* above;
  Village** below; // as many as the country has cities, or none at level 1
  long count;      // of those below
  int level;
  int nurses, nurses_free;
  List home, waiting, assessed, staying;
  List referred;       // from below, today
  omp_lock_t referral; // guards `referred`
};

typedef struct {
  long people, hospitals, nurses, visits, home, waiting, assessed, staying, days;
  float days_single; // the sum of the days, in the suite's arithmetic and order
  int sound;         // every hospital's nurses are free or have a patient each
} Totals;

extern Country country;

// country.c
Village* country_build(void);
Village* country_build_spread(void); // with a task per subtree of the top, each in its domain
void country_free(Village* village);
long country_people(void); // how many a country of these parameters has
Totals country_totals(Village* village);
int domain_below(const Village* top, long index); // the locality domain of a subtree of the top

// hospital.c: a day of one village. The first half may run beside the days of the villages below,
// which is why `shared` guards the referrals upwards; the second half needs them done.
void hospital_treat(Village* village, int shared);
void hospital_admit(Village* village);
int32_t stream_next(int32_t stream);

static inline void append(List* list, Person* person) {
  person->next = NULL;
  person->previous = list->last;
  *(list->last ? &list->last->next : &list->first) = person;
  list->last = person;
}

static inline void take(List* list, Person* person) {
  *(person->next ? &person->next->previous : &list->last) = person->previous;
  *(person->previous ? &person->previous->next : &list->first) = person->next;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A day in one village of Health.
#include "health.h"

// Park and Miller's minimal standard generator with Schrage's division (Numerical Recipes' ran0).
// The published results depend on the word that the suite keeps between two draws: not the drawn
// number but its product with the modulus, modulo 2^32.
static const int32_t kMultiplier = 16807, kModulus = 2147483647, kQuotient = 127773, kRest = 2836;
static const int32_t kMask = 123459876;

static int32_t draw(int32_t stream) {
  int32_t x = stream ^ kMask;
  int32_t k = x / kQuotient;
  x = (kMultiplier * (x - k * kQuotient) - kRest * k) ^ kMask;
  return x < 0 ? x + kModulus : x;
}

static int32_t keep(int32_t drawn) { return (int32_t)((uint32_t)drawn * (uint32_t)kModulus); }

int32_t stream_next(int32_t stream) { return keep(draw(stream)); }

static float chance(Person* person) {
  int32_t drawn = draw(person->stream);
  person->stream = keep(drawn);
  return (float)(1.0 / kModulus) * drawn;
}

// A nurse is free: the assessment begins.
static void assess(Village* village, Person* person) {
  village->nurses_free--;
  person->days_left = (int32_t)country.assess_days;
  person->days += person->days_left;
  append(&village->assessed, person);
}

static void arrive(Village* village, Person* person) {
  person->visits++;
  if (village->nurses_free > 0)
    assess(village, person);
  else
    append(&village->waiting, person);
}

static void go_home(Village* village, Person* person) {
  village->nurses_free++;
  append(&village->home, person);
}

static void end_stays(Village* village) {
  for (Person *person = village->staying.first, *next; person; person = next) {
    next = person->next;
    if (--person->days_left > 0)
      continue;
    take(&village->staying, person);
    go_home(village, person);
  }
}

static void refer(Village* village, Person* person, int shared) {
  village->nurses_free++;
  Village* above = village->above;
  if (shared)
    omp_set_lock(&above->referral);
  append(&above->referred, person);
  if (shared)
    omp_unset_lock(&above->referral);
}

static void end_assessments(Village* village, int shared) {
  for (Person *person = village->assessed.first, *next; person; person = next) {
    next = person->next;
    if (--person->days_left > 0)
      continue;
    take(&village->assessed, person);
    if (chance(person) >= country.stay) {
      go_home(village, person);
    } else if (chance(person) > country.refer || !village->above) {
      person->days_left = (int32_t)country.stay_days;
      person->days += person->days_left;
      append(&village->staying, person);
    } else {
      refer(village, person, shared);
    }
  }
}

static void call_waiting(Village* village) {
  for (Person *person = village->waiting.first, *next; person; person = next) {
    next = person->next;
    if (village->nurses_free > 0) {
      take(&village->waiting, person);
      assess(village, person);
    } else {
      person->days++;
    }
  }
}

void hospital_treat(Village* village, int shared) {
  end_stays(village);
  end_assessments(village, shared);
  call_waiting(village);
}

// The referred come in whatever order the tasks below ran; the order of ids makes it one.
static void admit_referred(Village* village) {
  while (village->referred.first) {
    Person* lowest = village->referred.first;
    for (Person* person = lowest->next; person; person = person->next)
      if (person->id < lowest->id)
        lowest = person;
    take(&village->referred, lowest);
    arrive(village, lowest);
  }
}

void hospital_admit(Village* village) {
  admit_referred(village);
  for (Person *person = village->home.first, *next; person; person = next) {
    next = person->next;
    if (chance(person) < country.sick) {
      take(&village->home, person);
      arrive(village, person);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Health's variants and input: see health.h for the model. The default sizes are the parameters of
// the suite's input files; `paper` is its "large", which paper 1, section VI uses.
#include "health.h"

#include "../../frame/app.h"
#include "../../frame/locality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* input;
static long cutoff;
static Village* top;
static char** arguments;

// From the input file, if there is one.
static struct {
  int known;
  Totals totals;
  double days_per_person;
} published;

static void day_serial(Village* village, int shared) {
  for (long i = 0; i < village->count; i++)
    day_serial(village->below[i], 0);
  hospital_treat(village, shared);
  hospital_admit(village);
}

// One function per variant: whether a task is tied is fixed when it is compiled. `depth` is the
// village's distance from the top.
#define DAY(NAME, CLAUSES, STOP)                                                                   \
  static void NAME(Village* village, int depth) {                                                  \
    if (STOP) {                                                                                    \
      day_serial(village, village->above != NULL);                                                 \
      return;                                                                                      \
    }                                                                                              \
    for (long i = 0; i < village->count; i++) {                                                    \
      Village* below = village->below[i];                                                          \
      _Pragma(CLAUSES) NAME(below, depth + 1);                                                     \
    }                                                                                              \
    hospital_treat(village, village->above != NULL);                                               \
    _Pragma("omp taskwait") hospital_admit(village);                                               \
  }                                                                                                \
  static void run_##NAME(void) {                                                                   \
    _Pragma("omp parallel") _Pragma("omp single") for (long day = 0; day < country.days; day++)    \
        NAME(top, 0);                                                                              \
  }

DAY(tied, "omp task", 0)
DAY(untied, "omp task untied", 0)
DAY(tied_if, "omp task if (depth < cutoff)", 0)
DAY(untied_if, "omp task untied if (depth < cutoff)", 0)
DAY(tied_manual, "omp task", depth >= cutoff)
DAY(untied_manual, "omp task untied", depth >= cutoff)

// Paper 3, section 6: the top's tasks are dealt to the locality domains, the tasks stay the same.
static void run_locality(void) {
#pragma omp parallel
#pragma omp single
  for (long day = 0; day < country.days; day++) {
    for (long i = 0; i < top->count; i++) {
      locality_children(domain_below(top, i));
#pragma omp task
      tied_manual(top->below[i], 1);
    }
    hospital_treat(top, 0);
#pragma omp taskwait
    hospital_admit(top);
  }
}

static void run_serial(void) {
  for (long day = 0; day < country.days; day++)
    day_serial(top, 0);
}

static int variant_is(const char* name) { return strcmp(app_variant(), name) == 0; }

static int variant_begins(const char* name) {
  return strncmp(app_variant(), name, strlen(name)) == 0;
}

static void read_input(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL)
    app_reject("cannot read %s", path);
  Country* c = &country;
  Totals* t = &published.totals;
  char rest;
  int fields =
      fscanf(file, "%ld %ld %ld %ld %ld %ld %ld %f %f %f %ld %ld %ld %ld %ld %ld %ld %ld %lf %c",
             &c->levels, &c->cities, &c->ratio, &c->days, &c->assess_days, &c->stay_days, &c->seed,
             &c->sick, &c->stay, &c->refer, &t->people, &t->hospitals, &t->nurses, &t->visits,
             &t->home, &t->waiting, &t->assessed, &t->staying, &published.days_per_person, &rest);
  fclose(file);
  if (fields != 19)
    app_reject("%s must have 19 numbers: 10 parameters and 9 results", path);
  if (c->levels < 1 || c->levels > 12 || c->cities < 1 || c->cities > 1000 || c->ratio < 1 ||
      c->ratio > 1000 || c->days < 1 || c->days > 1000000 || c->assess_days < 1 ||
      c->assess_days > 1000 || c->stay_days < 1 || c->stay_days > 1000 || c->seed < 0 ||
      c->seed > INT32_MAX || !(c->sick >= 0 && c->sick <= 1) || !(c->stay >= 0 && c->stay <= 1) ||
      !(c->refer >= 0 && c->refer <= 1))
    app_reject("%s: a parameter is out of range", path);
  published.known = 1;
}

// Without it the parameters come from the command line, and the rest from the suite's files.
static void prepare(void) {
  if (variant_is("locality-strict"))
    locality_be_strict(arguments);
  country.assess_days = 2;
  country.stay_days = 12;
  country.sick = 0.002f;
  country.stay = 0.1f;
  country.refer = 0.15f;
  char name[256];
  snprintf(name, sizeof name, "health/%s.input", input);
  const char* path = app_data(name);
  if (path != NULL)
    read_input(path);
  double people = country.ratio;
  for (int level = 1; level <= country.levels; level++)
    people = people * (level > 1 ? country.cities : 1) + (double)(country.ratio << level);
  if (people > INT32_MAX)
    app_reject("a country of %.3g people is too large", people);
  int spread = variant_is("spread") || variant_begins("locality");
  top = spread ? country_build_spread() : country_build();
}

// A task per village but the top, down to the cut-off where that is the serial code's.
static uint64_t tasks(void) {
  int manual = strstr(app_variant(), "manual") || variant_is("spread");
  long levels = country.levels - 1;
  uint64_t villages = 1, sum = 0;
  if (variant_is("serial"))
    return 0;
  if (variant_begins("locality"))
    levels = cutoff < 1 ? (levels > 0) : cutoff < levels ? cutoff : levels;
  else if (manual && cutoff < levels)
    levels = cutoff;
  for (long level = 0; level < levels; level++)
    sum += villages *= (uint64_t)country.cities;
  return sum * (uint64_t)country.days;
}

static int same(const Totals* a, const Totals* b) {
  return a->people == b->people && a->hospitals == b->hospitals && a->nurses == b->nurses &&
         a->visits == b->visits && a->home == b->home && a->waiting == b->waiting &&
         a->assessed == b->assessed && a->staying == b->staying;
}

// Against the published results where there are some (six decimals of the average), else against
// the serial code; at size paper the latter would take longer than the run.
static int check(void) {
  Totals got = country_totals(top);
  country_free(top);
  app_tasks(tasks());
  if (variant_is("spread") || variant_begins("locality"))
    locality_note();
  double average = got.days_single / got.people;
  app_note("people=%ld visits=%ld waiting=%ld assessed=%ld staying=%ld average=%.6f", got.people,
           got.visits, got.waiting, got.assessed, got.staying, average);
  int ok = got.sound && got.people == country_people();
  if (published.known)
    return ok && same(&got, &published.totals) &&
           fabs(average - published.days_per_person) < 0.6e-6;
  if (app_size() == kPaper)
    return ok;
  top = country_build();
  run_serial();
  Totals again = country_totals(top);
  country_free(top);
  return ok && same(&got, &again) && got.days == again.days;
}

static const Variant kVariants[] = {
    {"tied", "a tied task per village and day", run_tied},
    {"untied", "an untied task per village and day", run_untied},
    {"tied-if", "tied, with an if clause below the cut-off", run_tied_if},
    {"untied-if", "untied, with an if clause below the cut-off", run_untied_if},
    {"tied-manual", "tied, the serial code below the cut-off", run_tied_manual},
    {"untied-manual", "untied, the serial code below the cut-off", run_untied_manual},
    {"spread", "as tied-manual, the country built by tasks in their domains", run_tied_manual},
    {"locality", "as spread, and the days run in those domains too", run_locality},
    {"locality-strict", "as locality, under XOMP_LOCALITY=strict", run_locality},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static const Parameter kParameters[] = {
    {"input",
     "the file health/INPUT.input below --data",
     kText,
     &input,
     {"test", "small", "medium", "large"},
     0,
     0},
    {"levels", "levels of villages", kInteger, &country.levels, {"3", "4", "4", "5"}, 1, 12},
    {"cities",
     "villages below a village",
     kInteger,
     &country.cities,
     {"18", "18", "36", "24"},
     1,
     1000},
    {"ratio", "people per nurse", kInteger, &country.ratio, {"10", "10", "10", "10"}, 1, 1000},
    {"days", "length", kInteger, &country.days, {"365", "365", "365", "365"}, 1, 1000000},
    {"seed",
     "of people's streams",
     kInteger,
     &country.seed,
     {"23", "23", "23", "23"},
     0,
     2147483647},
    {"cutoff",
     "levels with tasks in the variants that have a cut-off",
     kInteger,
     &cutoff,
     {"2", "2", "2", "2"},
     0,
     12},
    {0},
};

int main(int argc, char** argv) {
  static const App app = {"health", "Hospitals of a country", kVariants, kParameters, prepare,
                          check};
  arguments = argv;
  return app_main(&app, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app.h"

#include "kept_off.h"
#include "threads.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char* const kSizeNames[kSizes] = {"test", "small", "medium", "paper"};

static const App* app;
static int size = kTest;
static const Variant* variant;
static const char* data_folder;
static uint64_t tasks;
static int threads;
static double seconds;
static char notes[1024];

void app_reject(const char* format, ...) {
  va_list arguments;
  fprintf(stderr, "%s: ", app->name);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(2);
}

int app_size(void) { return size; }

const char* app_variant(void) { return variant->name; }

int app_variant_has(const char* word) {
  size_t length = strlen(word);
  for (const char* at = variant->name; at != NULL; at = strchr(at, '-')) {
    at += *at == '-';
    if (strncmp(at, word, length) == 0 && (at[length] == '-' || at[length] == '\0'))
      return 1;
  }
  return 0;
}

const char* app_data(const char* relative) {
  static char path[4096];
  if (data_folder == NULL)
    return NULL;
  if ((size_t)snprintf(path, sizeof path, "%s/%s", data_folder, relative) >= sizeof path)
    app_reject("the path of --data is too long");
  return path;
}

void app_tasks(uint64_t count) { tasks = count; }

int app_threads(void) { return threads; }

double app_seconds(void) { return seconds; }

void app_note(const char* format, ...) {
  size_t used = strlen(notes);
  va_list arguments;
  va_start(arguments, format);
  if (used + 1 < sizeof notes) {
    notes[used++] = ' ';
    vsnprintf(notes + used, sizeof notes - used, format, arguments);
  }
  va_end(arguments);
}

// Wall time, and processor time of all threads: the latter does not count the time in which other
// programs had the processor, but it does count spinning.
static double clock_seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void describe(void) {
  printf("{\"name\": \"%s\", \"about\": \"%s\", \"variants\": [", app->name, app->about);
  for (const Variant* each = app->variants; each->name != NULL; each++)
    printf("%s{\"name\": \"%s\", \"about\": \"%s\"}", each == app->variants ? "" : ", ", each->name,
           each->about);
  printf("], \"parameters\": [");
  for (const Parameter* each = app->parameters; each->name != NULL; each++) {
    printf("%s{\"name\": \"%s\", \"about\": \"%s\", \"defaults\": {",
           each == app->parameters ? "" : ", ", each->name, each->about);
    for (int index = 0; index < kSizes; index++)
      printf("%s\"%s\": \"%s\"", index ? ", " : "", kSizeNames[index], each->defaults[index]);
    printf("}}");
  }
  printf("]}\n");
}

static void set(const Parameter* parameter, const char* text) {
  char* end;
  double value;
  errno = 0;
  switch (parameter->kind) {
  case kText:
    *(const char**)parameter->target = text;
    return;
  case kInteger:
    value = *(long*)parameter->target = strtol(text, &end, 10);
    break;
  case kReal:
    value = *(double*)parameter->target = strtod(text, &end);
    break;
  default:
    abort();
  }
  if (errno != 0 || end == text || *end != '\0' ||
      !(value >= parameter->low && value <= parameter->high))
    app_reject("--%s must be a%s from %g to %g, not '%s'", parameter->name,
               parameter->kind == kInteger ? "n integer" : " number", parameter->low,
               parameter->high, text);
}

static int find_size(const char* text) {
  for (int index = 0; index < kSizes; index++)
    if (strcmp(kSizeNames[index], text) == 0)
      return index;
  app_reject("--size must be test, small, medium or paper, not '%s'", text);
  return kTest;
}

static const Variant* find_variant(const char* text) {
  char known[512] = "";
  for (const Variant* each = app->variants; each->name != NULL; each++) {
    if (strcmp(each->name, text) == 0)
      return each;
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", each->name);
  }
  app_reject("no variant '%s'; there are:%s", text, known);
  return NULL;
}

static const Parameter* find_parameter(const char* name) {
  for (const Parameter* each = app->parameters; each->name != NULL; each++)
    if (strcmp(each->name, name) == 0)
      return each;
  char known[512] = "";
  for (const Parameter* each = app->parameters; each->name != NULL; each++)
    snprintf(known + strlen(known), sizeof known - strlen(known), ", --%s", each->name);
  app_reject("no option --%s; there are --size, --variant, --data%s, --describe", name, known);
  return NULL;
}

// The value of the option at argv[*index], given as --name VALUE or --name=VALUE, and its name.
static const char* option(int argc, char** argv, int* index, char* name, size_t room) {
  const char* text = argv[*index];
  if (strncmp(text, "--", 2) != 0 || text[2] == '\0')
    app_reject("expected an option --NAME VALUE, not '%s'", text);
  const char* equals = strchr(text, '=');
  snprintf(name, room, "%.*s", equals ? (int)(equals - text - 2) : (int)strlen(text), text + 2);
  if (equals != NULL)
    return equals + 1;
  if (++*index == argc)
    app_reject("%s needs a value", text);
  return argv[*index];
}

// Sizes come first, whatever their place on the command line: they are the defaults of the rest.
static void parse(int argc, char** argv) {
  char name[64];
  variant = app->variants;
  for (int index = 1; index < argc; index++) {
    if (strcmp(argv[index], "--describe") == 0) {
      describe();
      exit(0);
    }
    const char* value = option(argc, argv, &index, name, sizeof name);
    if (strcmp(name, "size") == 0)
      size = find_size(value);
  }
  for (const Parameter* each = app->parameters; each->name != NULL; each++)
    set(each, each->defaults[size]);
  for (int index = 1; index < argc; index++) {
    const char* value = option(argc, argv, &index, name, sizeof name);
    if (strcmp(name, "variant") == 0)
      variant = find_variant(value);
    else if (strcmp(name, "data") == 0)
      data_folder = value;
    else if (strcmp(name, "size") != 0)
      set(find_parameter(name), value);
  }
}

static void print_parameter(const Parameter* parameter) {
  switch (parameter->kind) {
  case kInteger:
    printf(" %s=%ld", parameter->name, *(long*)parameter->target);
    break;
  case kReal:
    printf(" %s=%.9g", parameter->name, *(double*)parameter->target);
    break;
  case kText:
    printf(" %s=%s", parameter->name, *(const char**)parameter->target);
    break;
  }
}

int app_main(const App* chosen, int argc, char** argv) {
  app = chosen;
  parse(argc, argv);
  if (app->prepare != NULL)
    app->prepare();
  threads = start_threads();

  // To read it takes time in which threads may fall asleep: only for those who ask.
  int watch = getenv("APP_KEPT_OFF") != NULL;
  double kept_off = watch ? kept_off_seconds() : 0;
  double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  double began = clock_seconds(CLOCK_MONOTONIC);
  variant->run();
  seconds = clock_seconds(CLOCK_MONOTONIC) - began;
  cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  if (watch)
    app_note("kept_off=%.9f", kept_off_seconds() - kept_off);

  int ok = app->check();
  printf("%s size=%s variant=%s", app->name, kSizeNames[size], variant->name);
  for (const Parameter* each = app->parameters; each->name != NULL; each++)
    print_parameter(each);
  // `began` places what a profiler or a recorder saw within the timed part.
  printf("%s ok=%d tasks=%llu threads=%d began=%.9f seconds=%.9f cpu=%.9f\n", notes, ok,
         (unsigned long long)tasks, threads, began, seconds, cpu);
  return ok ? 0 : 1;
}

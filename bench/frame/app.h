// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame around every application: it reads the command line, starts the threads, times `run`,
// has the result checked and prints one line of key=value pairs. An application is its kernel and
// one `App`; app_main does the rest.
//
//   APP [--size test|small|medium|paper] [--variant NAME] [--PARAMETER VALUE]... [--data FOLDER]
//   APP --describe      the variants and parameters, as JSON
//
// Exit status: 0; 1 if the result is wrong; 2, with one line on stderr, for bad input.
#ifndef XOMP_BENCH_APP_H
#define XOMP_BENCH_APP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kSizes = 4 }; // test, small, medium, paper
enum { kTest, kSmall, kMedium, kPaper };

typedef enum { kInteger, kReal, kText } Kind;

// `--name VALUE`. The default depends on the size. Integers and reals are checked to lie from low
// to high, both included. `target` is a long, a double or a const char*, as the kind says.
typedef struct {
  const char* name;
  const char* about;
  Kind kind;
  void* target;
  const char* defaults[kSizes];
  double low, high;
} Parameter;

// One way to run the application. By convention `serial` has no OpenMP in it, and the others are
// named by generator, tiedness and cut-off: tied, untied, tied-if, untied-manual, for-tied...
typedef struct {
  const char* name;
  const char* about;
  void (*run)(void); // what the clock sees: opens its parallel region itself
} Variant;

typedef struct {
  const char* name;
  const char* about;
  const Variant* variants;     // the first is the default; ends with a NULL name
  const Parameter* parameters; // ends with a NULL name
  void (*prepare)(void);       // before the clock: reads or draws the input; may be NULL
  int (*check)(void);          // after the clock: whether the result is right
} App;

int app_main(const App* app, int argc, char** argv);

// What the running application may ask and tell.
int app_size(void);                    // the index of --size
const char* app_variant(void);         // the variant's name
int app_variant_has(const char* word); // whether it has the word: "untied-if" has "if", not "tied"
// A path below the folder of --data, or NULL without one; valid until the next call.
const char* app_data(const char* relative);
int app_threads(void);                 // how many there are; before `run` has begun, 0
double app_seconds(void);              // how long `run` took, for rates that `check` reports
void app_tasks(uint64_t count);        // how many explicit tasks the run made
void app_note(const char* format, ...) // adds to the line: app_note("nodes=%d", nodes)
    __attribute__((format(printf, 1, 2)));
void app_reject(const char* format, ...) // bad input: one line on stderr, exit status 2
    __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif

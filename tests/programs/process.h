// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests about whole processes: memory, threads and processor time of this one, and this program
// run again in another environment.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static inline long status_line(const char* name) {
  char line[256];
  long value = -1;
  FILE* file = fopen("/proc/self/status", "r");
  CHECK(file);
  while (fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0)
      value = atol(line + strlen(name));
  fclose(file);
  return value;
}
static inline long peak_kilobytes(void) { return status_line("VmHWM:"); }
static inline long resident_kilobytes(void) { return status_line("VmRSS:"); }
static inline long thread_count(void) { return status_line("Threads:"); }

static inline double seconds_of(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}
static inline double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

struct outcome {
  int status; // as from waitpid; -1 when it did not end in time
  char output[8192];
};

// In the place of this process. An emulator's kernel cannot start the program: only the emulator
// can.
static inline void execute_self(const char* argument) {
  const char* emulator = getenv("TEST_EMULATOR");
  if (!emulator) {
    execl("/proc/self/exe", "again", argument, (char*)0);
    return;
  }
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  execlp(emulator, emulator, path, argument, (char*)0);
}

// This program, started once more.
struct started {
  pid_t process;
  int output; // what it prints
};

// Starts this program with one argument and up to two more variables ("NAME=value" or null).
static inline struct started start_self(const char* argument, const char* variable,
                                        const char* second) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    if (variable)
      putenv((char*)variable);
    if (second)
      putenv((char*)second);
    alarm(50);
    execute_self(argument);
    _exit(127);
  }
  close(ends[1]);
  return (struct started){child, ends[0]};
}

static inline struct outcome end_of(struct started started) {
  struct outcome result;
  size_t used = 0;
  ssize_t got;
  while ((got = read(started.output, result.output + used, sizeof result.output - 1 - used)) > 0)
    used += (size_t)got;
  result.output[used] = 0;
  close(started.output);
  CHECK(waitpid(started.process, &result.status, 0) == started.process);
  if (WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGALRM)
    result.status = -1;
  return result;
}

static inline struct outcome run_self(const char* argument, const char* variable,
                                      const char* second) {
  return end_of(start_self(argument, variable, second));
}

// Waits for a child process that must end, and kills it after 20 s. Returns its status.
static inline int status_at_end(pid_t child) {
  enum { kSoon = 200 };
  int status;
  for (int i = 0; i < kSoon + 2000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child)
      return status;
    usleep(i < kSoon ? 100 : 10000); // most end at once
  }
  kill(child, SIGKILL);
  CHECK(!"the child process ends");
  return 0;
}

// The child process must end with `code`.
static inline void expect_exit(pid_t child, int code) {
  int status = status_at_end(child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == code);
}

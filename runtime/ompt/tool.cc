// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ompt/tool.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "conf/settings.h"
#include "ompt/callbacks.h"
#include "ompt/entries.h"
#include "sys/clock.h"
#include "sys/futex.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "trace/stream.h"

namespace xomp::trace {
namespace {

/// OpenMP 5.2, whose interface this is.
constexpr unsigned kVersion = 202111;
constexpr char kStart[] = "ompt_start_tool";
using StartTool = decltype(ompt_start_tool);

enum Stage : uint32_t { kNone, kStarting, kStarted };

constinit std::atomic<uint32_t> stage{kNone};
constinit __thread bool starts = false; ///< this thread is about to start it
constinit std::atomic<ompt_start_tool_result_t*> tool{nullptr}; ///< null: there is none

/// Of the program and what is loaded with it; or null.
StartTool* own_start() {
  void* start = dlsym(RTLD_DEFAULT, kStart);
  if (!start)
    dlerror(); // the program's next one is not about this
  return reinterpret_cast<StartTool*>(start);
}

/// What OMP_TOOL_VERBOSE_INIT asks for.
class Log {
public:
  Log() {
    const char* where = settings.tool_verbose;
    if (!where)
      return;
    if (std::strcmp(where, "stdout") == 0)
      file = STDOUT_FILENO;
    else if (std::strcmp(where, "stderr") == 0)
      file = STDERR_FILENO;
    else
      file = open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
      sys::warn("OMP_TOOL_VERBOSE_INIT: cannot write \"%s\"", where);
  }
  ~Log() {
    if (file > STDERR_FILENO)
      close(file);
  }
  Log(const Log&) = delete;

  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) const {
    if (file < 0)
      return;
    va_list arguments;
    va_start(arguments, format);
    vdprintf(file, format, arguments);
    va_end(arguments);
  }

private:
  int file = -1;
};

/// Where the function comes from.
const char* file_of(StartTool* start) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(start), &info) && info.dli_fname ? info.dli_fname : "?";
}

/// False: there is no tool here; another one may be looked for.
bool start_with(const Log& log, StartTool* start, const char* from) {
  ompt_start_tool_result_t* result = start(kVersion, "xomp " XOMP_VERSION);
  if (!result) {
    log.print("  %s: %s says no\n", from, kStart);
    return false;
  }
  // Its callbacks are asked for here.
  if (!result->initialize || !result->initialize(look_up_entry, 0, &result->tool_data)) {
    log.print("  %s: the tool says no when it is initialized\n", from);
    clear_callbacks();
    return true;
  }
  log.print("  %s: the tool is in use\n", from);
  if (settings.display)
    sys::warn("  tool: %s", from);
  // Release: a thread that ends it finds what it has set up.
  tool.store(result, std::memory_order_release);
  return true;
}

bool start_from_library(const Log& log, const char* path) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char* error = dlerror();
    log.print("  %s: cannot be loaded: %s\n", path, error);
    sys::warn("OMP_TOOL_LIBRARIES: %s cannot be loaded (%s)", path, error);
    return false;
  }
  auto* start = reinterpret_cast<StartTool*>(dlsym(library, kStart));
  if (!start) {
    log.print("  %s: no %s\n", path, kStart);
    sys::warn("OMP_TOOL_LIBRARIES: %s is no tool: it has no %s", path, kStart);
  } else if (start_with(log, start, path)) {
    return true; // and stays loaded
  }
  dlclose(library);
  return false;
}

void start_from_libraries(const Log& log) {
  std::size_t length = std::strlen(settings.tool_libraries);
  auto* names = static_cast<char*>(sys::allocate(length + 1));
  std::memcpy(names, settings.tool_libraries, length + 1);
  bool found = false;
  char* rest = names;
  while (char* name = found ? nullptr : strsep(&rest, ":"))
    found = *name && start_from_library(log, name);
  sys::release(names);
}

/// First in the program and what is loaded with it, then in the libraries that are named.
void search() {
  Log log;
  log.print("xomp %s looks for a tool\n", XOMP_VERSION);
  bool found = false;
  if (StartTool* start = own_start())
    found = start_with(log, start, file_of(start));
  else
    log.print("  the program and its libraries: no %s\n", kStart);
  if (!found && settings.tool_libraries)
    start_from_libraries(log);
}

/// Another thread starts the tool: nothing is to happen before that. But the tool may be waiting
/// for this thread; and one that uses OpenMP while it starts does not wait for itself.
void await_start() {
  constexpr int64_t kPatience = 1'000'000'000; // nanoseconds
  if (starts)
    return;
  int64_t end = sys::nanoseconds() + kPatience;
  while (tool_starts()) {
    int64_t left = end - sys::nanoseconds();
    if (left <= 0)
      return;
    sys::futex_wait_at_most(stage, kStarting, left);
  }
}

} // namespace

bool tool_may_come() {
  if (!settings.tool)
    return false;
  return settings.tool_libraries || settings.tool_verbose || own_start();
}

bool start_tool() {
  // Acquire: what the tool has set up.
  if (!listening(kTool) || stage.load(std::memory_order_acquire) == kStarted)
    return false;
  uint32_t before = kNone;
  // Relaxed: whoever makes the change has the rest to itself.
  if (!stage.compare_exchange_strong(before, kStarting, std::memory_order_relaxed)) {
    await_start();
    return false;
  }
  starts = true;
  search();
  starts = false;
  bool started = tool.load(std::memory_order_relaxed);
  if (!started)
    stop_listening(kTool);
  stage.store(kStarted, std::memory_order_release);
  sys::futex_wake(stage);
  return started;
}

bool tool_starts() { return stage.load(std::memory_order_acquire) == kStarting; }

bool tool_is_there() { return tool.load(std::memory_order_acquire); }

void end_tool() {
  ompt_start_tool_result_t* ended = tool.exchange(nullptr, std::memory_order_acq_rel);
  if (!ended)
    return;
  stop_listening(kTool);
  quiesce();
  if (ended->finalize)
    ended->finalize(&ended->tool_data);
}

void forget_tool_after_fork() {
  if (stage.load(std::memory_order_relaxed) == kNone)
    return;
  stage.store(kStarted, std::memory_order_relaxed);
  tool.store(nullptr, std::memory_order_relaxed);
  stop_listening(kTool);
  clear_callbacks();
}

} // namespace xomp::trace

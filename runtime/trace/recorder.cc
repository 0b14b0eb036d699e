// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/recorder.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstring>
#include <utility>

#include <sys/auxv.h>
#include <unistd.h>

#include "conf/settings.h"
#include "sys/clock.h"
#include "sys/files.h"
#include "sys/inspection.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/ticks.h"
#include "trace/log_facts.h"
#include "trace/stream.h"

namespace xomp::trace {

constinit Recorder recorder;

namespace {

class Guard {
public:
  explicit Guard(pthread_mutex_t& lock) : lock(lock) { pthread_mutex_lock(&lock); }
  ~Guard() { pthread_mutex_unlock(&lock); }
  Guard(const Guard&) = delete;

private:
  pthread_mutex_t& lock;
};

/// Entry points are called from programs that look at errno.
class KeepErrno {
public:
  KeepErrno() : saved(errno) {}
  ~KeepErrno() { errno = saved; }
  KeepErrno(const KeepErrno&) = delete;

private:
  int saved;
};

} // namespace

int Recorder::start(const char* wanted) {
  KeepErrno keep;
  if (getauxval(AT_SECURE) != 0)
    return EPERM;
  Guard guard(lock);
  if (listening(kRecorder))
    return EALREADY;
  char* path = sys::absolute_path(wanted             ? wanted
                                  : folder           ? folder
                                  : settings.perflog ? settings.perflog
                                                     : ".");
  if (log.is_open() && folder && std::strcmp(path, folder) != 0) {
    sys::release(path);
    return EBUSY;
  }
  sys::release(std::exchange(folder, path));
  int error = log.is_open() ? 0 : open_log();
  if (error)
    return error;
  closed = false;
  listen(kRecorder);
  bell.ring();
  return 0;
}

void Recorder::start_with_process() {
  loaded = read_clock();
  int times = sys::open_processor_times();
  if (times >= 0) {
    sys::read_processor_times(times, loaded_times);
    close(times);
  }
  first.store(static_cast<uint32_t>(sys::kernel_thread_id()), std::memory_order_relaxed);
  listen(kRecorder);
}

int64_t Recorder::since(uint32_t kernel_thread, sys::ProcessorTimes& times) {
  if (first.load(std::memory_order_relaxed) != kernel_thread)
    return 0;
  times = loaded_times;
  first.store(0, std::memory_order_relaxed);
  return loaded.ticks;
}

int Recorder::stop() {
  KeepErrno keep;
  Guard guard(lock);
  if (!listening(kRecorder))
    return EALREADY;
  stop_listening(kRecorder);
  if (log.is_open()) {
    modules = put_modules(log, modules);
    put_clock(log);
  }
  return 0;
}

int Recorder::dump() {
  KeepErrno keep;
  Guard guard(lock);
  if (!log.is_open())
    return ENOENT;
  modules = put_modules(log, modules);
  put_clock(log);
  return log.flush();
}

void Recorder::end() {
  // Whoever holds it may be what a signal handler that calls exit has interrupted.
  constexpr int kAttempts = 100;
  for (int i = 0; pthread_mutex_trylock(&lock) != 0; ++i) {
    if (i == kAttempts)
      return;
    usleep(1000);
  }
  closed = true;
  if (log.is_open()) {
    modules = put_modules(log, modules);
    put_clock(log);
    log.print_line("end", "%" PRId64, sys::ticks());
  }
  pthread_mutex_unlock(&lock);
}

void Recorder::after_fork_in_child() {
  lock = PTHREAD_MUTEX_INITIALIZER;
  log.forget();
  pens = nullptr;
  recorded = 0;
  full.store(false, std::memory_order_relaxed);
  closed = helped = false;
  modules = 0;
  loaded = {};
  first.store(0, std::memory_order_relaxed);
  quarters.store(0, std::memory_order_relaxed);
  written.store(nullptr, std::memory_order_relaxed);
  bell.cancel();
}

/// The caller holds the lock.
int Recorder::open_log() {
  if (int error = log.open(folder))
    return error;
  put_process(log);
  if (loaded.ticks)
    put_clock(log, loaded);
  put_clock(log);
  modules = put_modules(log, 0);
  start_helper();
  return 0;
}

bool Recorder::admit(Pen& pen) {
  KeepErrno keep;
  Guard guard(lock);
  if (closed)
    return false;
  if (!log.is_open()) {
    if (!folder)
      folder = sys::absolute_path(settings.perflog ? settings.perflog : ".");
    if (int error = open_log()) {
      stop_listening(kRecorder);
      closed = true;
      sys::warn("cannot write a log into \"%s\" (%s); the program is not recorded", folder,
                std::strerror(error));
      return false;
    }
  }
  int error;
  pen.sums = log.extend(1, error);
  if (!pen.sums) {
    pen.failed = true;
    cannot_grow(error);
    return false;
  }
  pen.summary.begin(pen.begin_chunk(pen.sums->memory));
  pen.extent = at_limit() ? nullptr : extend_for_records(1);
  pen.open = true;
  pen.next_pen = pens;
  pens = &pen;
  bell.ring();
  return true;
}

void Recorder::exchange(Extent* through, Pen& pen) {
  if (through) {
    through->next = written.load(std::memory_order_relaxed);
    // Release: the helper unmaps it after everything was written.
    while (!written.compare_exchange_weak(through->next, through, std::memory_order_release,
                                          std::memory_order_relaxed))
      ;
  }
  if (helped)
    return bell.ring();
  KeepErrno keep;
  Guard guard(lock);
  unmap_written();
  prepare(pen);
}

bool Recorder::serve(Pen& pen) {
  if (at_limit())
    return false;
  KeepErrno keep;
  Guard guard(lock);
  prepare(pen);
  return !pen.wants();
}

Extent* Recorder::reserve() {
  KeepErrno keep;
  Guard guard(lock);
  int error;
  Extent* extent = log.extend(1, error);
  if (!extent)
    cannot_grow(error);
  return extent;
}

/// The caller holds the lock. Null: the log is as large as it may be.
Extent* Recorder::extend_for_records(uint32_t chunks) {
  uint64_t left = settings.perflog_limit - std::min(recorded, settings.perflog_limit);
  chunks = static_cast<uint32_t>(std::min<uint64_t>(chunks, left / kChunkBytes));
  if (chunks == 0) {
    cannot_grow(0);
    return nullptr;
  }
  int error;
  Extent* extent = log.extend(chunks, error);
  if (!extent) {
    cannot_grow(error);
    return nullptr;
  }
  recorded += extent->bytes;
  quarters.store(static_cast<uint32_t>(4 * recorded / settings.perflog_limit),
                 std::memory_order_relaxed);
  return extent;
}

/// It is at its limit (0), or the system refuses.
void Recorder::cannot_grow(int error) {
  if (at_limit())
    return;
  full.store(true, std::memory_order_relaxed);
  log.print_line("full", "%" PRId64, sys::ticks());
  if (error)
    sys::warn("the log %s cannot grow (%s): from now on it gets only sums", log.name(),
              std::strerror(error));
}

void Recorder::start_helper() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  // The program's signals are for its own threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  helped = pthread_create(&thread, &attributes, help, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

/// The caller holds the lock.
void Recorder::unmap_written() {
  // Acquire: what the pens wrote is written.
  Extent* extent = written.exchange(nullptr, std::memory_order_acquire);
  while (extent)
    LogFile::unmap(std::exchange(extent, extent->next));
}

/// The caller holds the lock.
void Recorder::prepare(Pen& pen) {
  if (at_limit() || !pen.wants())
    return;
  if (Extent* extent = extend_for_records(pen.next_size()))
    pen.give(extent);
}

bool Recorder::work_waits() {
  Guard guard(lock);
  if (written.load(std::memory_order_relaxed))
    return true;
  for (Pen* pen = pens; pen && !at_limit(); pen = pen->next_pen)
    if (pen->wants())
      return true;
  return false;
}

/// The helper's round. False: it is not needed any more.
bool Recorder::helps(bool notes) {
  Guard guard(lock);
  unmap_written();
  for (Pen* pen = pens; pen; pen = pen->next_pen)
    prepare(*pen);
  if (notes && listening(kRecorder) && !closed) {
    put_clock(log);
    modules = put_modules(log, modules);
  }
  return !closed;
}

void* Recorder::help(void*) {
  constexpr int64_t kSecond = 1000000000;
  pthread_setname_np(pthread_self(), "xomp-log");
  // At first more often: a short program as well is to have two readings of the clock.
  int64_t pause = kSecond / 1000, due = 0;
  for (;;) {
    int64_t now = sys::nanoseconds();
    bool notes = now >= due;
    if (notes) {
      due = now + pause;
      pause = std::min(pause * 10, kSecond);
    }
    if (!recorder.helps(notes))
      return nullptr;
    recorder.bell.prepare();
    if (recorder.work_waits())
      recorder.bell.cancel();
    else if (!listening(kRecorder))
      recorder.bell.sleep();
    else
      recorder.bell.sleep_at_most(std::max<int64_t>(due - sys::nanoseconds(), 1));
  }
}

} // namespace xomp::trace

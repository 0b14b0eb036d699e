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
#include "sys/asymmetric_fence.h"
#include "sys/clock.h"
#include "sys/files.h"
#include "sys/inspection.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/ticks.h"
#include "trace/apart.h"
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

} // namespace

int Recorder::start(const char* wanted) {
  Apart apart;
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
  // Registering waits for all processors where there are threads already, and the log has one: some
  // ten milliseconds on a busy machine, which would look as if the program had slept.
  sys::has_asymmetric_fence();
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
  Apart apart;
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
  Apart apart;
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
  log.reset();
  recorded = 0;
  full.store(false, std::memory_order_relaxed);
  closed = false;
  modules = 0;
  calls.forget();
  loaded = {};
  first.store(0, std::memory_order_relaxed);
  quarters.store(0, std::memory_order_relaxed);
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

/// Opens it if need be. The caller holds the lock.
bool Recorder::has_log() {
  if (closed)
    return false;
  if (log.is_open())
    return true;
  if (!folder)
    folder = sys::absolute_path(settings.perflog ? settings.perflog : ".");
  int error = open_log();
  if (!error)
    return true;
  stop_listening(kRecorder);
  closed = true;
  sys::warn("cannot write a log into \"%s\" (%s); the program is not recorded", folder,
            std::strerror(error));
  return false;
}

void Recorder::describe_anew(uint64_t call, uint64_t codeptr, uint64_t body, const char* said) {
  Apart apart;
  Guard guard(lock);
  if (calls.has(call) || !has_log())
    return;
  calls.add(call);
  put_call(log, codeptr, body, said);
}

bool Recorder::admit(Writer& writer) {
  Apart apart;
  Guard guard(lock);
  if (!has_log())
    return false;
  int error;
  char* sums = log.map_chunk(error);
  if (!sums) {
    writer.failed = true;
    cannot_grow(error);
    return false;
  }
  writer.summary.begin(writer.begin_chunk(sums, kRecordChunk));
  writer.open = true;
  if (chunks_left(1) == 0)
    return true;
  writer.buffer = log.map_chunk(error);
  if (writer.buffer)
    count(1);
  else
    cannot_grow(error);
  return true;
}

bool Recorder::give_room(Writer& writer) {
  constexpr uint32_t kMost = 16; // 1 MiB: some 20,000 records
  if (at_limit())
    return false;
  Apart apart;
  Guard guard(lock);
  uint32_t chunks = chunks_left(std::clamp(2 * writer.chunks, 1u, kMost));
  if (chunks == 0)
    return false;
  std::size_t bytes = std::size_t{chunks} * kChunkBytes;
  if (int error = log.reserve(bytes, writer.file_offset)) {
    cannot_grow(error);
    return false;
  }
  count(chunks);
  writer.chunks = chunks;
  writer.room = bytes;
  return true;
}

bool Recorder::put_chunk(const char* chunk, std::size_t offset) {
  Apart apart;
  int error = log.put_chunk(chunk, offset);
  if (!error)
    return true;
  Guard guard(lock);
  cannot_grow(error);
  return false;
}

char* Recorder::reserve() {
  Apart apart;
  Guard guard(lock);
  int error;
  char* chunk = log.map_chunk(error);
  if (!chunk)
    cannot_grow(error);
  return chunk;
}

/// How many of the chunks that are wanted records may still have. 0: the log is as large as it may
/// be. The caller holds the lock.
uint32_t Recorder::chunks_left(uint32_t wanted) {
  uint64_t left = settings.perflog_limit - std::min(recorded, settings.perflog_limit);
  auto chunks = static_cast<uint32_t>(std::min<uint64_t>(wanted, left / kChunkBytes));
  if (chunks == 0)
    cannot_grow(0);
  return at_limit() ? 0 : chunks;
}

/// Records have got them. The caller holds the lock.
void Recorder::count(uint32_t chunks) {
  recorded += std::size_t{chunks} * kChunkBytes;
  quarters.store(static_cast<uint32_t>(4 * recorded / settings.perflog_limit),
                 std::memory_order_relaxed);
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
  pthread_t thread;
  // The program's signals are for its own threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, nullptr, help, nullptr) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// False: the process ends. So it does with the last of its threads, where the first has ended by
/// itself: this one is none of them.
bool Recorder::take_notes() {
  if (sys::is_last_thread())
    return false;
  Guard guard(lock);
  if (listening(kRecorder) && !closed) {
    put_clock(log);
    modules = put_modules(log, modules);
  }
  return !closed;
}

void* Recorder::help(void*) {
  constexpr int64_t kSecond = 1000000000;
  pthread_setname_np(pthread_self(), "xomp-log");
  // At first more often: a short program as well is to have two readings of the clock.
  int64_t pause = kSecond / 1000;
  while (recorder.take_notes()) {
    recorder.bell.prepare();
    recorder.bell.sleep_at_most(pause);
    pause = std::min(pause * 10, kSecond);
  }
  // Where it is the last one it ends the process, with the program's destructors.
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  return nullptr;
}

} // namespace xomp::trace

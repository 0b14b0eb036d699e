// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records when and where each leaf task runs, on any runtime with libgomp's interface: preloaded,
// it stands before GOMP_task and puts an envelope around the task's body. RECORDER_FILE names the
// file that it writes when the program ends; paper 3, section 6.2 draws such schedules.
//
// A leaf is a task that made no task. The node of its data is that of the first of its arguments
// which points into mapped memory; it is asked for only where there is more than one node. Tasks
// with a detach clause are let through unrecorded: the runtime writes into their arguments.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void (*Body)(void* data);
typedef void (*Copier)(void* target, void* source);
typedef void (*Task)(Body, void*, Copier, long, long, bool, unsigned, void**, int, void*);

enum { kDetach = 1 << 13, kAlign = 16, kMostLeaves = 1 << 20, kPointersTried = 4, kUnknown = -1 };

// In front of every recorded task's arguments, which begin `offset` bytes further.
typedef struct {
  Body body;
  long offset, size;
} Envelope;

// What a copy function finds as its source: the envelope, and what it hands on.
typedef struct {
  Envelope envelope;
  Copier copy;
  void* data;
} Parcel;

typedef struct {
  double start, seconds;
  int32_t thread, processor_node, data_node, reserved;
} Leaf;

typedef struct Log Log;
struct Log {
  Log* next;
  long count;
  Leaf leaves[kMostLeaves];
};

static Task next_task;
static int (*thread_number)(void);
static bool several_nodes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Log* logs;
static _Thread_local Log* own;
static _Thread_local bool made_task;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static bool has_several_nodes(void) {
  char text[64] = "";
  FILE* file = fopen("/sys/devices/system/node/online", "r");
  if (file == NULL)
    return false;
  bool read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  return read && strpbrk(text, "-,") != NULL;
}

__attribute__((constructor)) static void find_next(void) {
  next_task = (Task)dlsym(RTLD_NEXT, "GOMP_task");
  thread_number = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_thread_num");
  several_nodes = has_several_nodes();
}

static int node_of(const void* address) {
  void* page = (void*)((uintptr_t)address & ~(uintptr_t)4095);
  int node = kUnknown;
  if (page == NULL || syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0) != 0)
    return kUnknown;
  return node;
}

static int node_of_data(void* const* words, long size) {
  for (long i = 0; i < kPointersTried && (i + 1) * (long)sizeof *words <= size; i++) {
    int node = node_of(words[i]);
    if (node >= 0)
      return node;
  }
  return kUnknown;
}

static Log* log_of_thread(void) {
  if (own == NULL && (own = calloc(1, sizeof *own)) != NULL) {
    pthread_mutex_lock(&lock);
    own->next = logs;
    logs = own;
    pthread_mutex_unlock(&lock);
  }
  return own;
}

static void record(double start, double end, const Envelope* envelope) {
  Log* log = log_of_thread();
  if (log == NULL || log->count == kMostLeaves)
    return;
  Leaf* leaf = &log->leaves[log->count++];
  *leaf = (Leaf){start, end - start, thread_number ? thread_number() : 0, 0, 0, 0};
  if (several_nodes) {
    unsigned node = 0;
    syscall(SYS_getcpu, NULL, &node, NULL);
    leaf->processor_node = (int32_t)node;
    leaf->data_node =
        node_of_data((void* const*)((const char*)envelope + envelope->offset), envelope->size);
  }
}

static void open_envelope(void* block) {
  const Envelope* envelope = block;
  bool before = made_task;
  made_task = false;
  double start = now();
  envelope->body((char*)block + envelope->offset);
  double end = now();
  if (!made_task)
    record(start, end, envelope);
  made_task = before;
}

static void copy_parcel(void* target, void* source) {
  const Parcel* parcel = source;
  memcpy(target, &parcel->envelope, sizeof parcel->envelope);
  parcel->copy((char*)target + parcel->envelope.offset, parcel->data);
}

void GOMP_task(Body body, void* data, Copier copy, long size, long align, bool if_clause,
               unsigned flags, void** depend, int priority, void* detach) {
  made_task = true;
  if (flags & kDetach) {
    next_task(body, data, copy, size, align, if_clause, flags, depend, priority, detach);
    return;
  }
  if (align < kAlign)
    align = kAlign;
  long offset = ((long)sizeof(Envelope) + align - 1) / align * align;
  Envelope envelope = {body, offset, size};
  if (copy != NULL) {
    Parcel parcel = {envelope, copy, data};
    next_task(open_envelope, &parcel, copy_parcel, offset + size, align, if_clause, flags, depend,
              priority, detach);
    return;
  }
  char room[offset + size + align];
  char* block = (char*)(((uintptr_t)room + align - 1) & ~(uintptr_t)(align - 1));
  memcpy(block, &envelope, sizeof envelope);
  if (size > 0)
    memcpy(block + offset, data, size);
  next_task(open_envelope, block, NULL, offset + size, align, if_clause, flags, depend, priority,
            detach);
}

__attribute__((destructor)) static void write_file(void) {
  const char* path = getenv("RECORDER_FILE");
  if (path == NULL || logs == NULL) // a shell in between has no tasks, and is not asked
    return;
  FILE* file = fopen(path, "wb");
  if (file == NULL)
    return;
  for (const Log* log = logs; log != NULL; log = log->next)
    fwrite(log->leaves, sizeof(Leaf), log->count, file);
  fclose(file);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/room_to_call.h"

#include <pthread.h>

#include <csignal>
#include <cstddef>

#include "sys/uncancellable.h"

namespace xomp::sys {

bool call_with_room(void* (*function)(void*), void* argument) {
  Uncancellable until_joined;
  constexpr std::size_t kStack = std::size_t{1} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  // The program's signals are for its own threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool made = pthread_create(&thread, &attributes, function, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return made && pthread_join(thread, nullptr) == 0;
}

} // namespace xomp::sys

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nearly every entry point of the LLVM and Intel interface begins with: a description of the
// place in the program, and the number of the thread. The number is only handed back to us and is
// never looked at: the runtime knows its thread by itself.
#pragma once
#include <cstdint>
#include <string_view>

#include "trace/stream.h"

namespace xomp::llvm {

/// ident_t.
struct Ident {
  int32_t reserved_1;
  int32_t flags; ///< IdentFlag
  int32_t reserved_2, reserved_3;
  const char* source; ///< ;file;function;line;column;;
};

/// What `source` says; empty where it says nothing.
struct SourcePlace {
  std::string_view file;
  unsigned line = 0, column = 0;

  explicit SourcePlace(const Ident* ident);
};

/// Tells a log, where there is one, what `ident` says of the place of a call, and which function it
/// hands over.
[[gnu::cold]] void describe(const Ident* ident, const void* codeptr, const void* body = nullptr);

/// Describes a call, then calls `slow`. Not inline: an entry point that ends with this keeps
/// nothing for later, and needs no frame.
template <auto slow> struct Describing;
template <class Result, class... Parameters, Result (*slow)(Parameters...)>
struct Describing<slow> {
  [[gnu::noinline]] static Result call(const Ident* ident, const void* codeptr,
                                       Parameters... parameters) {
    if (trace::listening(trace::kRecorder)) [[unlikely]]
      return described(ident, codeptr, parameters...);
    return slow(parameters...);
  }
  [[gnu::noinline, gnu::cold]] static Result described(const Ident* ident, const void* codeptr,
                                                       Parameters... parameters) {
    describe(ident, codeptr);
    return slow(parameters...);
  }
};

/// What the core may know of this interface's calls: see trace::NothingKnown.
struct Described {
  const Ident* ident;

  template <auto slow, class... Arguments>
  [[gnu::always_inline]] auto call(const void* codeptr, Arguments&&... arguments) const {
    return Describing<slow>::call(ident, codeptr, arguments...);
  }
};

/// What an entry point wants to know of its call: where the caller goes on.
struct Caller {
  const void* codeptr;
  Caller(const void* codeptr, const void*) : codeptr(codeptr) {}
};
/// Where the entry point's frame ends, besides.
struct FramedCaller {
  const void* codeptr;
  const void* frame;
};

/// Describes a call that hands over no function, or the one that `body_of` finds in its arguments,
/// then does what the entry point does, `plain`, which is inline here and there.
template <auto plain, auto body_of, class Called, class... Arguments>
[[gnu::noinline, gnu::cold]] auto describe_and_call(const Ident* ident, Called by,
                                                    Arguments... arguments) {
  describe(ident, by.codeptr, body_of(arguments...));
  return plain(by, arguments...);
}
inline constexpr auto kNoBody = [](auto...) -> const void* { return nullptr; };

/// Calls `plain` with the entry point's caller in front of its arguments, described first where
/// somebody is `told`. Where nobody is it costs that question alone: the caller is looked for
/// behind it, not in front.
template <auto plain, auto body_of = kNoBody, class Called = Caller, class... Arguments>
[[gnu::always_inline]] inline auto call_described(bool told, const Ident* ident,
                                                  Arguments... arguments) {
  if (told) [[unlikely]]
    return describe_and_call<plain, body_of>(
        ident, Called{__builtin_return_address(0), __builtin_dwarf_cfa()}, arguments...);
  return plain(Called{__builtin_return_address(0), __builtin_dwarf_cfa()}, arguments...);
}

enum IdentFlag : int32_t {
  kAtomicReduce = 0x10,    ///< the program has an atomic way to combine a reduction
  kExplicitBarrier = 0x20, ///< a barrier directive, not the end of a construct
  kOfSections = 0x400,     ///< a static loop that executes sections
};

/// What a num_threads clause says besides a number, and what else a region's threads have to meet.
struct Demands {
  unsigned inner = 0;            ///< threads of the regions inside; 0: it says nothing
  unsigned strict = 0;           ///< threads that the region must have; 0: it may have fewer
  int32_t severity = 0;          ///< 1: a warning if not, else an error
  const char* message = nullptr; ///< with it
  uint32_t float_mode = 0;       ///< the creator's, which the others take over (sys/float_mode.h)
  bool hands_on = false;         ///< that it does
  bool any() const { return inner || strict || hands_on; }
};

/// What the calling thread was told for the construct that it comes to next; 0: nothing.
struct Announced {
  unsigned threads = 0, bind = 0;
  unsigned teams = 0, team_threads = 0;
  Demands demands;
};
inline constinit thread_local Announced announced;

/// A function of the program whose type depends on what else the program has said.
template <class To, class From> To function_as(From function) {
  return reinterpret_cast<To>(reinterpret_cast<void (*)()>(function));
}

inline constinit thread_local int32_t number_of_thread = -1; ///< negative: it has none yet
[[gnu::cold]] int32_t number_thread();
/// Before a thread uses its number (threadprivate.cc).
void make_room_in_caches(int32_t number);

/// A number of the calling thread that no other living thread has, from 0 on.
inline int32_t thread_number() {
  int32_t number = number_of_thread;
  return number >= 0 ? number : number_thread();
}
/// How many threads have had one, at least one.
int32_t known_threads();

} // namespace xomp::llvm

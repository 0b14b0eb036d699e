// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __kmpc_atomic_*: what Intel's compilers call for atomic constructs; clang and flang have
// instructions or libatomic. An entry is named after the type of the variable and the operation:
// _cpt hands out what was there before, or with a flag what is there now; _rev has the operands the
// other way round; _fp computes in the widest floating-point type. Operands of up to eight bytes
// are changed by one atomic instruction, larger ones under the lock that GCC's programs use for
// theirs.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "locks/locks.h"

using namespace xomp;
using llvm::Ident;
using trace::MutexKind;

namespace {

// Which clauses the construct has is not told, so that every access is as strong as it may have to
// be: sequentially consistent.
constexpr int kOrder = __ATOMIC_SEQ_CST;

template <std::size_t size> struct WordOf;
template <> struct WordOf<1> {
  using Type = uint8_t;
};
template <> struct WordOf<2> {
  using Type = uint16_t;
};
template <> struct WordOf<4> {
  using Type = uint32_t;
};
template <> struct WordOf<8> {
  using Type = uint64_t;
};

template <class T> constexpr bool kHasInstruction = sizeof(T) <= 8;

/// The instructions of x86 take any address; elsewhere one that is not aligned needs the lock,
/// which all threads that change that variable by these entries come to.
template <class T> bool fits_instruction([[maybe_unused]] const T* address) {
#ifdef __x86_64__
  return true;
#else
  return reinterpret_cast<uintptr_t>(address) % sizeof(T) == 0;
#endif
}

class LockHeld {
public:
  LockHeld() { unnamed_atomic.acquire(MutexKind::kAtomic); }
  ~LockHeld() { unnamed_atomic.release(MutexKind::kAtomic); }
  LockHeld(const LockHeld&) = delete;
};

template <class To, class From> To as_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// What was there, and what is there now.
template <class T> struct Change {
  T old, now;
};

template <class T, class Compute> Change<T> change_by_instruction(T* variable, Compute compute) {
  using Word = typename WordOf<sizeof(T)>::Type;
  auto* word = reinterpret_cast<Word*>(variable);
  Word seen = __atomic_load_n(word, __ATOMIC_RELAXED); // the exchange checks it
  for (;;) {
    T old = as_bits<T>(seen), now = compute(old);
    if (__atomic_compare_exchange_n(word, &seen, as_bits<Word>(now), false, kOrder,
                                    __ATOMIC_RELAXED))
      return {old, now};
  }
}

template <class T, class Compute> Change<T> change(T* variable, Compute compute) {
  if constexpr (kHasInstruction<T>) {
    if (fits_instruction(variable)) [[likely]]
      return change_by_instruction(variable, compute);
  }
  LockHeld lock;
  T old = *variable;
  return {old, *variable = compute(old)};
}

template <class T> T read(T* variable) {
  if constexpr (kHasInstruction<T>) {
    using Word = typename WordOf<sizeof(T)>::Type;
    if (fits_instruction(variable)) [[likely]]
      return as_bits<T>(__atomic_load_n(reinterpret_cast<Word*>(variable), kOrder));
  }
  LockHeld lock;
  return *variable;
}

template <class T> T exchange(T* variable, T value) {
  if constexpr (kHasInstruction<T>) {
    using Word = typename WordOf<sizeof(T)>::Type;
    if (fits_instruction(variable)) [[likely]]
      return as_bits<T>(
          __atomic_exchange_n(reinterpret_cast<Word*>(variable), as_bits<Word>(value), kOrder));
  }
  LockHeld lock;
  T old = *variable;
  *variable = value;
  return old;
}

/// Sums, differences and products of integers wrap around.
template <class T> auto wide(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<uint64_t>(value);
  else
    return value;
}
template <class T> int distance(T value) { return static_cast<int>(value & (sizeof(T) * 8 - 1)); }

// clang-format off
struct Add { template <class T> static T of(T a, T b) { return static_cast<T>(wide(a) + wide(b)); } };
struct Sub { template <class T> static T of(T a, T b) { return static_cast<T>(wide(a) - wide(b)); } };
struct Mul { template <class T> static T of(T a, T b) { return static_cast<T>(wide(a) * wide(b)); } };
struct Div { template <class T> static T of(T a, T b) { return static_cast<T>(a / b); } };
struct And { template <class T> static T of(T a, T b) { return static_cast<T>(a & b); } };
struct Or { template <class T> static T of(T a, T b) { return static_cast<T>(a | b); } };
struct Xor { template <class T> static T of(T a, T b) { return static_cast<T>(a ^ b); } };
struct Eqv { template <class T> static T of(T a, T b) { return static_cast<T>(~(a ^ b)); } };
struct AndLogical { template <class T> static T of(T a, T b) { return static_cast<T>(a && b); } };
struct OrLogical { template <class T> static T of(T a, T b) { return static_cast<T>(a || b); } };
struct Max { template <class T> static T of(T a, T b) { return a < b ? b : a; } };
struct Min { template <class T> static T of(T a, T b) { return b < a ? b : a; } };
struct Shl { template <class T> static T of(T a, T b) { return static_cast<T>(wide(a) << distance(b)); } };
struct Shr { template <class T> static T of(T a, T b) { return static_cast<T>(a >> distance(b)); } };
template <class Op> struct Reversed { template <class T> static T of(T a, T b) { return Op::of(b, a); } };
// clang-format on

/// `value`: of the type in which is computed.
template <class Op, class T, class Operand> Change<T> update(T* variable, Operand value) {
  if constexpr (std::is_same_v<Op, Add> && std::is_integral_v<T> && std::is_same_v<T, Operand>) {
    if (fits_instruction(variable)) [[likely]] {
      T old = __atomic_fetch_add(variable, value, kOrder);
      return {old, Add::of(old, value)};
    }
  }
  return change(variable, [value](T old) {
    return static_cast<T>(Op::of(static_cast<Operand>(old), value));
  });
}

template <class T> T captured(const Change<T>& change, int now) {
  return now ? change.now : change.old;
}

/// A variable that has the value it is asked for gets another; the value that was there.
template <class T> T exchange_if(T* variable, T expected, T desired) {
  return change(variable, [=](T old) { return old == expected ? desired : old; }).old;
}

using Combine = void (*)(void* result, const void* left, const void* right);

/// Operands of any type whose operation the program has.
template <class Word> void combine_word(Word* variable, const void* value, Combine combine) {
  change(variable, [=](Word old) {
    Word now;
    combine(&now, &old, value);
    return now;
  });
}
void combine_locked(void* variable, const void* value, Combine combine) {
  LockHeld lock;
  combine(variable, variable, value);
}

} // namespace

// NAME is behind __kmpc_atomic_; T the variable's type, OPERAND that of the value.
#define XOMP_UPDATE(NAME, SUFFIX, T, OPERAND, OP)                                                  \
  XOMP_EXPORT void __kmpc_atomic_##NAME##SUFFIX(const Ident*, int, T* variable, OPERAND value) {   \
    update<OP>(variable, value);                                                                   \
  }
#define XOMP_CAPTURE(NAME, SUFFIX, T, OPERAND, OP)                                                 \
  XOMP_EXPORT T __kmpc_atomic_##NAME##_cpt##SUFFIX(const Ident*, int, T* variable, OPERAND value,  \
                                                   int now) {                                      \
    return captured(update<OP>(variable, value), now);                                             \
  }
/// cmplx4 alone has an argument for what is captured.
#define XOMP_CAPTURE_THERE(NAME, SUFFIX, T, OPERAND, OP)                                           \
  XOMP_EXPORT void __kmpc_atomic_##NAME##_cpt##SUFFIX(const Ident*, int, T* variable,              \
                                                      OPERAND value, T* result, int now) {         \
    *result = captured(update<OP>(variable, value), now);                                          \
  }
#define XOMP_BOTH(NAME, SUFFIX, T, OPERAND, OP)                                                    \
  XOMP_UPDATE(NAME, SUFFIX, T, OPERAND, OP)                                                        \
  XOMP_CAPTURE(NAME, SUFFIX, T, OPERAND, OP)
#define XOMP_BOTH_THERE(NAME, SUFFIX, T, OPERAND, OP)                                              \
  XOMP_UPDATE(NAME, SUFFIX, T, OPERAND, OP)                                                        \
  XOMP_CAPTURE_THERE(NAME, SUFFIX, T, OPERAND, OP)

#define XOMP_ARITHMETIC(BOTH, TYPE, SUFFIX, REVERSED, T, OPERAND)                                  \
  BOTH(TYPE##_add, SUFFIX, T, OPERAND, Add)                                                        \
  BOTH(TYPE##_sub, SUFFIX, T, OPERAND, Sub)                                                        \
  BOTH(TYPE##_mul, SUFFIX, T, OPERAND, Mul)                                                        \
  BOTH(TYPE##_div, SUFFIX, T, OPERAND, Div)                                                        \
  BOTH(TYPE##_sub, REVERSED, T, OPERAND, Reversed<Sub>)                                            \
  BOTH(TYPE##_div, REVERSED, T, OPERAND, Reversed<Div>)
#define XOMP_EXTREMES(TYPE, T)                                                                     \
  XOMP_BOTH(TYPE##_max, , T, T, Max)                                                               \
  XOMP_BOTH(TYPE##_min, , T, T, Min)
#define XOMP_READ_WRITE(TYPE, T)                                                                   \
  XOMP_EXPORT T __kmpc_atomic_##TYPE##_rd(const Ident*, int, T* variable) {                        \
    return read(variable);                                                                         \
  }                                                                                                \
  XOMP_EXPORT void __kmpc_atomic_##TYPE##_wr(const Ident*, int, T* variable, T value) {            \
    exchange(variable, value);                                                                     \
  }
#define XOMP_SWAP(TYPE, T)                                                                         \
  XOMP_EXPORT T __kmpc_atomic_##TYPE##_swp(const Ident*, int, T* variable, T value) {              \
    return exchange(variable, value);                                                              \
  }
#define XOMP_SHIFT_RIGHT(TYPE, T)                                                                  \
  XOMP_BOTH(TYPE##_shr, , T, T, Shr)                                                               \
  XOMP_BOTH(TYPE##_shr, _rev, T, T, Reversed<Shr>)

#define XOMP_FIXED(SIZE, T, U)                                                                     \
  XOMP_ARITHMETIC(XOMP_BOTH, fixed##SIZE, , _rev, T, T)                                            \
  XOMP_EXTREMES(fixed##SIZE, T)                                                                    \
  XOMP_READ_WRITE(fixed##SIZE, T)                                                                  \
  XOMP_SWAP(fixed##SIZE, T)                                                                        \
  XOMP_BOTH(fixed##SIZE##_andb, , T, T, And)                                                       \
  XOMP_BOTH(fixed##SIZE##_orb, , T, T, Or)                                                         \
  XOMP_BOTH(fixed##SIZE##_xor, , T, T, Xor)                                                        \
  XOMP_BOTH(fixed##SIZE##_neqv, , T, T, Xor)                                                       \
  XOMP_BOTH(fixed##SIZE##_eqv, , T, T, Eqv)                                                        \
  XOMP_BOTH(fixed##SIZE##_andl, , T, T, AndLogical)                                                \
  XOMP_BOTH(fixed##SIZE##_orl, , T, T, OrLogical)                                                  \
  XOMP_BOTH(fixed##SIZE##_shl, , T, T, Shl)                                                        \
  XOMP_BOTH(fixed##SIZE##_shl, _rev, T, T, Reversed<Shl>)                                          \
  XOMP_SHIFT_RIGHT(fixed##SIZE, T)                                                                 \
  XOMP_SHIFT_RIGHT(fixed##SIZE##u, U)                                                              \
  XOMP_BOTH(fixed##SIZE##u_div, , U, U, Div)                                                       \
  XOMP_BOTH(fixed##SIZE##u_div, _rev, U, U, Reversed<Div>)                                         \
  XOMP_UPDATE(fixed##SIZE##_mul, _float8, T, double, Mul)                                          \
  XOMP_UPDATE(fixed##SIZE##_div, _float8, T, double, Div)                                          \
  XOMP_EXPORT bool __kmpc_atomic_bool_##SIZE##_cas(const Ident*, int, T* variable, T expected,     \
                                                   T desired) {                                    \
    return exchange_if(variable, expected, desired) == expected;                                   \
  }                                                                                                \
  XOMP_EXPORT T __kmpc_atomic_val_##SIZE##_cas(const Ident*, int, T* variable, T expected,         \
                                               T desired) {                                        \
    return exchange_if(variable, expected, desired);                                               \
  }                                                                                                \
  /* What is there goes to `found` where it was another than expected. */                          \
  XOMP_EXPORT bool __kmpc_atomic_bool_##SIZE##_cas_cpt(const Ident*, int, T* variable, T expected, \
                                                       T desired, T* found) {                      \
    T old = exchange_if(variable, expected, desired);                                              \
    if (old != expected)                                                                           \
      *found = old;                                                                                \
    return old == expected;                                                                        \
  }                                                                                                \
  /* What is there now, in any case. */                                                            \
  XOMP_EXPORT T __kmpc_atomic_val_##SIZE##_cas_cpt(const Ident*, int, T* variable, T expected,     \
                                                   T desired, T* now) {                            \
    T old = exchange_if(variable, expected, desired);                                              \
    *now = old == expected ? desired : old;                                                        \
    return old;                                                                                    \
  }                                                                                                \
  XOMP_EXPORT void __kmpc_atomic_##SIZE(const Ident*, int, U* variable, const void* value,         \
                                        Combine combine) {                                         \
    combine_word(variable, value, combine);                                                        \
  }
XOMP_FIXED(1, int8_t, uint8_t)
XOMP_FIXED(2, int16_t, uint16_t)
XOMP_FIXED(4, int32_t, uint32_t)
XOMP_FIXED(8, int64_t, uint64_t)

#define XOMP_LARGE(SIZE)                                                                           \
  XOMP_EXPORT void __kmpc_atomic_##SIZE(const Ident*, int, void* variable, const void* value,      \
                                        Combine combine) {                                         \
    combine_locked(variable, value, combine);                                                      \
  }
XOMP_LARGE(10)
XOMP_LARGE(16)
XOMP_LARGE(20)
XOMP_LARGE(32)

#define XOMP_FLOAT(SIZE, T)                                                                        \
  XOMP_ARITHMETIC(XOMP_BOTH, float##SIZE, , _rev, T, T)                                            \
  XOMP_EXTREMES(float##SIZE, T)                                                                    \
  XOMP_READ_WRITE(float##SIZE, T)                                                                  \
  XOMP_SWAP(float##SIZE, T)
XOMP_FLOAT(4, float)
XOMP_FLOAT(8, double)
XOMP_FLOAT(10, long double)
XOMP_UPDATE(float4_add, _float8, float, double, Add)
XOMP_UPDATE(float4_sub, _float8, float, double, Sub)
XOMP_UPDATE(float4_mul, _float8, float, double, Mul)
XOMP_UPDATE(float4_div, _float8, float, double, Div)

__extension__ typedef float _Complex Complex4;
__extension__ typedef double _Complex Complex8;
__extension__ typedef long double _Complex Complex10;

#define XOMP_COMPLEX(SIZE, T)                                                                      \
  XOMP_ARITHMETIC(XOMP_BOTH, cmplx##SIZE, , _rev, T, T)                                            \
  XOMP_READ_WRITE(cmplx##SIZE, T)                                                                  \
  XOMP_SWAP(cmplx##SIZE, T)
XOMP_COMPLEX(8, Complex8)
XOMP_COMPLEX(10, Complex10)
XOMP_ARITHMETIC(XOMP_BOTH_THERE, cmplx4, , _rev, Complex4, Complex4)
XOMP_READ_WRITE(cmplx4, Complex4)
XOMP_EXPORT void __kmpc_atomic_cmplx4_swp(const Ident*, int, Complex4* variable, Complex4 value,
                                          Complex4* result) {
  *result = exchange(variable, value);
}
XOMP_UPDATE(cmplx4_add, _cmplx8, Complex4, Complex8, Add)
XOMP_UPDATE(cmplx4_sub, _cmplx8, Complex4, Complex8, Sub)
XOMP_UPDATE(cmplx4_mul, _cmplx8, Complex4, Complex8, Mul)
XOMP_UPDATE(cmplx4_div, _cmplx8, Complex4, Complex8, Div)

#ifdef __x86_64__ // the one of our platforms for which there are such compilers
__extension__ typedef __float128 Float16;
typedef _Complex float __attribute__((mode(TC))) Complex16;
XOMP_FLOAT(16, Float16)
XOMP_COMPLEX(16, Complex16)
#define XOMP_IN_QUADRUPLE(TYPE, T) XOMP_ARITHMETIC(XOMP_BOTH, TYPE, _fp, _rev_fp, T, Float16)
XOMP_IN_QUADRUPLE(fixed1, int8_t)
XOMP_IN_QUADRUPLE(fixed1u, uint8_t)
XOMP_IN_QUADRUPLE(fixed2, int16_t)
XOMP_IN_QUADRUPLE(fixed2u, uint16_t)
XOMP_IN_QUADRUPLE(fixed4, int32_t)
XOMP_IN_QUADRUPLE(fixed4u, uint32_t)
XOMP_IN_QUADRUPLE(fixed8, int64_t)
XOMP_IN_QUADRUPLE(fixed8u, uint64_t)
XOMP_IN_QUADRUPLE(float4, float)
XOMP_IN_QUADRUPLE(float8, double)
XOMP_IN_QUADRUPLE(float10, long double)
#endif

/// Of what has no entry of its own.
XOMP_EXPORT void __kmpc_atomic_start() { unnamed_atomic.acquire(MutexKind::kAtomic); }
XOMP_EXPORT void __kmpc_atomic_end() { unnamed_atomic.release(MutexKind::kAtomic); }

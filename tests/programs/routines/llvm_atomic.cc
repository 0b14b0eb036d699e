// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __kmpc_atomic_*, which Intel's compilers call: every operation on every type with the value that
// it hands out, before and after; then that it is one step, seen by threads that do it at once.
// xomp-test: threads=1,4 barriers=tree compilers=gcc,clang libs=lib/libxomp.so
#include <omp.h>
#include <stdint.h>

#include "check.h"

typedef float _Complex Complex4;
typedef double _Complex Complex8;
typedef long double _Complex Complex10;
typedef long double Float10;

namespace {

template <class T, class V> using Update = void (*)(void*, int, T*, V);
template <class T, class V> using Capture = T (*)(void*, int, T*, V, int);

template <class T, class V> void one(Update<T, V> update, T start, V value, T expected) {
  T x = start;
  update(nullptr, 0, &x, value);
  CHECK(x == expected);
}
template <class T, class V>
void two(Update<T, V> update, Capture<T, V> capture, T start, V value, T expected) {
  one(update, start, value, expected);
  T x = start;
  CHECK(capture(nullptr, 0, &x, value, 0) == start && x == expected);
  x = start;
  CHECK(capture(nullptr, 0, &x, value, 1) == expected && x == expected);
}

} // namespace

#define UPDATE(T, V, NAME, SUFFIX, START, VALUE, EXPECTED)                                         \
  extern "C" void __kmpc_atomic_##NAME##SUFFIX(void*, int, T*, V);                                 \
  extern "C" T __kmpc_atomic_##NAME##_cpt##SUFFIX(void*, int, T*, V, int);                         \
  static void test_##NAME##SUFFIX() {                                                              \
    two<T, V>(__kmpc_atomic_##NAME##SUFFIX, __kmpc_atomic_##NAME##_cpt##SUFFIX, T(START),          \
              V(VALUE), T(EXPECTED));                                                              \
  }
#define PLAIN(T, V, NAME, START, VALUE, EXPECTED)                                                  \
  extern "C" void __kmpc_atomic_##NAME(void*, int, T*, V);                                         \
  static void test_##NAME() { one<T, V>(__kmpc_atomic_##NAME, START, VALUE, EXPECTED); }
#define ACCESS(T, NAME)                                                                            \
  extern "C" T __kmpc_atomic_##NAME##_rd(void*, int, T*);                                          \
  extern "C" void __kmpc_atomic_##NAME##_wr(void*, int, T*, T);                                    \
  extern "C" T __kmpc_atomic_##NAME##_swp(void*, int, T*, T);                                      \
  static void test_##NAME() {                                                                      \
    T x = T(5);                                                                                    \
    CHECK(__kmpc_atomic_##NAME##_rd(nullptr, 0, &x) == T(5));                                      \
    __kmpc_atomic_##NAME##_wr(nullptr, 0, &x, T(7));                                               \
    CHECK(__kmpc_atomic_##NAME##_swp(nullptr, 0, &x, T(9)) == T(7) && x == T(9));                  \
  }
#define ARITHMETIC(TYPE, T)                                                                        \
  UPDATE(T, T, TYPE##_add, , 7, 5, 12)                                                             \
  UPDATE(T, T, TYPE##_sub, , 7, 5, 2)                                                              \
  UPDATE(T, T, TYPE##_mul, , 7, 5, 35)                                                             \
  UPDATE(T, T, TYPE##_div, , 40, 8, 5)                                                             \
  UPDATE(T, T, TYPE##_sub, _rev, 7, 5, -2)                                                         \
  UPDATE(T, T, TYPE##_div, _rev, 8, 40, 5)                                                         \
  ACCESS(T, TYPE)
#define EXTREMES(TYPE, T)                                                                          \
  UPDATE(T, T, TYPE##_max, , -3, 4, 4)                                                             \
  UPDATE(T, T, TYPE##_min, , 3, -4, -4)
#define FIXED(SIZE, T, U)                                                                          \
  ARITHMETIC(fixed##SIZE, T)                                                                       \
  EXTREMES(fixed##SIZE, T)                                                                         \
  UPDATE(T, T, fixed##SIZE##_andb, , 0x6c, 0x3a, 0x28)                                             \
  UPDATE(T, T, fixed##SIZE##_orb, , 0x6c, 0x3a, 0x7e)                                              \
  UPDATE(T, T, fixed##SIZE##_xor, , 0x6c, 0x3a, 0x56)                                              \
  UPDATE(T, T, fixed##SIZE##_neqv, , 0x6c, 0x3a, 0x56)                                             \
  UPDATE(T, T, fixed##SIZE##_eqv, , 0x6c, 0x3a, ~0x56)                                             \
  UPDATE(T, T, fixed##SIZE##_andl, , 6, 0, 0)                                                      \
  UPDATE(T, T, fixed##SIZE##_orl, , 6, 0, 1)                                                       \
  UPDATE(T, T, fixed##SIZE##_shl, , 3, 4, 48)                                                      \
  UPDATE(T, T, fixed##SIZE##_shl, _rev, 4, 3, 48)                                                  \
  UPDATE(T, T, fixed##SIZE##_shr, , -96, 4, -6)                                                    \
  UPDATE(T, T, fixed##SIZE##_shr, _rev, 4, -96, -6)                                                \
  UPDATE(U, U, fixed##SIZE##u_shr, , U(~U(0)), 4, U(~U(0)) >> 4)                                   \
  UPDATE(U, U, fixed##SIZE##u_shr, _rev, 4, U(~U(0)), U(~U(0)) >> 4)                               \
  UPDATE(U, U, fixed##SIZE##u_div, , U(~U(0)), 3, U(~U(0)) / 3)                                    \
  UPDATE(U, U, fixed##SIZE##u_div, _rev, 3, U(~U(0)), U(~U(0)) / 3)                                \
  PLAIN(T, double, fixed##SIZE##_mul_float8, 6, 2.5, 15)                                           \
  PLAIN(T, double, fixed##SIZE##_div_float8, 6, 2.5, 2)                                            \
  extern "C" bool __kmpc_atomic_bool_##SIZE##_cas(void*, int, T*, T, T);                           \
  extern "C" T __kmpc_atomic_val_##SIZE##_cas(void*, int, T*, T, T);                               \
  extern "C" bool __kmpc_atomic_bool_##SIZE##_cas_cpt(void*, int, T*, T, T, T*);                   \
  extern "C" T __kmpc_atomic_val_##SIZE##_cas_cpt(void*, int, T*, T, T, T*);                       \
  extern "C" void __kmpc_atomic_##SIZE(void*, int, void*, void*, void (*)(void*, void*, void*));   \
  static void test_cas_##SIZE() {                                                                  \
    T x = 3, v = 99;                                                                               \
    CHECK(!__kmpc_atomic_bool_##SIZE##_cas(nullptr, 0, &x, 4, 5) && x == 3);                       \
    CHECK(__kmpc_atomic_bool_##SIZE##_cas(nullptr, 0, &x, 3, 5) && x == 5);                        \
    CHECK(__kmpc_atomic_val_##SIZE##_cas(nullptr, 0, &x, 4, 6) == 5 && x == 5);                    \
    CHECK(__kmpc_atomic_val_##SIZE##_cas(nullptr, 0, &x, 5, 6) == 5 && x == 6);                    \
    CHECK(__kmpc_atomic_bool_##SIZE##_cas_cpt(nullptr, 0, &x, 6, 7, &v) && x == 7 && v == 99);     \
    CHECK(!__kmpc_atomic_bool_##SIZE##_cas_cpt(nullptr, 0, &x, 6, 8, &v) && x == 7 && v == 7);     \
    CHECK(__kmpc_atomic_val_##SIZE##_cas_cpt(nullptr, 0, &x, 7, 9, &v) == 7 && x == 9 && v == 9);  \
    CHECK(__kmpc_atomic_val_##SIZE##_cas_cpt(nullptr, 0, &x, 7, 8, &v) == 9 && x == 9 && v == 9);  \
    T by = 4;                                                                                      \
    __kmpc_atomic_##SIZE(nullptr, 0, &x, &by, [](void* to, void* left, void* right) {              \
      *static_cast<T*>(to) = T(*static_cast<T*>(left) * *static_cast<T*>(right));                  \
    });                                                                                            \
    CHECK(x == 36);                                                                                \
  }                                                                                                \
  static void test_fixed##SIZE##_all() {                                                           \
    TEST_ARITHMETIC(fixed##SIZE), TEST_EXTREMES(fixed##SIZE), test_fixed##SIZE##_andb();           \
    test_fixed##SIZE##_orb(), test_fixed##SIZE##_xor(), test_fixed##SIZE##_neqv();                 \
    test_fixed##SIZE##_eqv(), test_fixed##SIZE##_andl(), test_fixed##SIZE##_orl();                 \
    test_fixed##SIZE##_shl(), test_fixed##SIZE##_shl_rev(), test_fixed##SIZE##_shr();              \
    test_fixed##SIZE##_shr_rev(), test_fixed##SIZE##u_shr(), test_fixed##SIZE##u_shr_rev();        \
    test_fixed##SIZE##u_div(), test_fixed##SIZE##u_div_rev(), test_cas_##SIZE();                   \
    test_fixed##SIZE##_mul_float8(), test_fixed##SIZE##_div_float8();                              \
  }
#define TEST_ARITHMETIC(TYPE)                                                                      \
  test_##TYPE##_add(), test_##TYPE##_sub(), test_##TYPE##_mul(), test_##TYPE##_div(),              \
      test_##TYPE##_sub_rev(), test_##TYPE##_div_rev(), test_##TYPE()
#define TEST_EXTREMES(TYPE) test_##TYPE##_max(), test_##TYPE##_min()

FIXED(1, int8_t, uint8_t)
FIXED(2, int16_t, uint16_t)
FIXED(4, int32_t, uint32_t)
FIXED(8, int64_t, uint64_t)
ARITHMETIC(float4, float)
EXTREMES(float4, float)
ARITHMETIC(float8, double)
EXTREMES(float8, double)
ARITHMETIC(float10, Float10)
EXTREMES(float10, Float10)
ARITHMETIC(cmplx8, Complex8)
ARITHMETIC(cmplx10, Complex10)
PLAIN(float, double, float4_add_float8, 3, 2.5, 5.5)
PLAIN(float, double, float4_sub_float8, 3, 2.5, 0.5)
PLAIN(float, double, float4_mul_float8, 3, 2.5, 7.5)
PLAIN(float, double, float4_div_float8, 5, 2.5, 2)
PLAIN(Complex4, Complex8, cmplx4_mul_cmplx8, Complex4(3), Complex8(2), Complex4(6))
#ifdef __x86_64__
typedef __float128 Float16;
typedef _Complex float __attribute__((mode(TC))) Complex16;
ARITHMETIC(float16, Float16)
EXTREMES(float16, Float16)
ARITHMETIC(cmplx16, Complex16)
UPDATE(int8_t, Float16, fixed1_mul, _fp, 6, 2.5, 15)
UPDATE(uint8_t, Float16, fixed1u_sub, _rev_fp, 55, 255.5, 200)
UPDATE(int64_t, Float16, fixed8_div, _rev_fp, 4, 10, 2)
UPDATE(Float10, Float16, float10_add, _fp, 1, 0.25, 1.25)
#endif

extern "C" {
void __kmpc_atomic_cmplx4_add(void*, int, Complex4*, Complex4);
void __kmpc_atomic_cmplx4_sub_rev(void*, int, Complex4*, Complex4);
void __kmpc_atomic_cmplx4_mul_cpt(void*, int, Complex4*, Complex4, Complex4*, int);
void __kmpc_atomic_cmplx4_swp(void*, int, Complex4*, Complex4, Complex4*);
Complex4 __kmpc_atomic_cmplx4_rd(void*, int, Complex4*);
void __kmpc_atomic_cmplx4_wr(void*, int, Complex4*, Complex4);
void __kmpc_atomic_10(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_32(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
}

namespace {

void small_complex() {
  Complex4 i = 0;
  __imag__ i = 1;
  Complex4 x = Complex4(3) + Complex4(2) * i, out = 0;
  __kmpc_atomic_cmplx4_mul_cpt(nullptr, 0, &x, i, &out, 1);
  CHECK(x == Complex4(-2) + Complex4(3) * i && out == x);
  __kmpc_atomic_cmplx4_mul_cpt(nullptr, 0, &x, i, &out, 0);
  CHECK(x == Complex4(-3) - Complex4(2) * i && out == Complex4(-2) + Complex4(3) * i);
  __kmpc_atomic_cmplx4_sub_rev(nullptr, 0, &x, i);
  CHECK(x == Complex4(3) + Complex4(3) * i);
  __kmpc_atomic_cmplx4_swp(nullptr, 0, &x, i, &out);
  CHECK(x == i && out == Complex4(3) + Complex4(3) * i);
  __kmpc_atomic_cmplx4_wr(nullptr, 0, &x, out);
  CHECK(__kmpc_atomic_cmplx4_rd(nullptr, 0, &x) == out);
}

void alone() {
  test_fixed1_all(), test_fixed2_all(), test_fixed4_all(), test_fixed8_all();
  TEST_ARITHMETIC(float4), TEST_EXTREMES(float4);
  TEST_ARITHMETIC(float8), TEST_EXTREMES(float8);
  TEST_ARITHMETIC(float10), TEST_EXTREMES(float10);
  TEST_ARITHMETIC(cmplx8);
  TEST_ARITHMETIC(cmplx10);
  test_float4_add_float8(), test_float4_sub_float8(), test_float4_mul_float8();
  test_float4_div_float8(), test_cmplx4_mul_cmplx8();
  small_complex();
#ifdef __x86_64__
  TEST_ARITHMETIC(float16), TEST_EXTREMES(float16);
  TEST_ARITHMETIC(cmplx16);
  test_fixed1_mul_fp(), test_fixed1u_sub_rev_fp(), test_fixed8_div_rev_fp(), test_float10_add_fp();
#endif
}

/// As many threads as there are add to each variable; none of it is lost.
void together() {
  constexpr int kRounds = 2000;
  int8_t fixed1 = 0;
  int16_t fixed2 = 0;
  int32_t fixed4 = 0, plain = 0;
  int64_t fixed8 = 0, word4[4] = {0, 0, 0, 0};
  float float4 = 0;
  double float8 = 0;
  long double float10 = 0, word10 = 0;
  Complex4 cmplx4 = 0;
  Complex8 cmplx8 = 0;
  int threads = 1;
#pragma omp parallel
  {
#pragma omp single nowait
    threads = omp_get_num_threads();
    for (int i = 0; i < kRounds; ++i) {
      __kmpc_atomic_fixed1_add(nullptr, 0, &fixed1, 1);
      __kmpc_atomic_fixed2_sub(nullptr, 0, &fixed2, 1);
      __kmpc_atomic_fixed4_xor(nullptr, 0, &fixed4, i);
      __kmpc_atomic_fixed8_sub_rev(nullptr, 0, &fixed8, 5);
      __kmpc_atomic_float4_add(nullptr, 0, &float4, 1);
      __kmpc_atomic_float8_add(nullptr, 0, &float8, 1);
      __kmpc_atomic_float10_add(nullptr, 0, &float10, 1);
      __kmpc_atomic_cmplx4_add(nullptr, 0, &cmplx4, 1);
      __kmpc_atomic_cmplx8_add(nullptr, 0, &cmplx8, 1);
      long double one = 1;
      __kmpc_atomic_10(nullptr, 0, &word10, &one, [](void* to, void* left, void* right) {
        *static_cast<long double*>(to) =
            *static_cast<long double*>(left) + *static_cast<long double*>(right);
      });
      int64_t step = 1;
      __kmpc_atomic_32(nullptr, 0, word4, &step, [](void* to, void* left, void* right) {
        static_cast<int64_t*>(to)[3] =
            static_cast<int64_t*>(left)[3] + *static_cast<int64_t*>(right);
      });
      __kmpc_atomic_start();
      plain++;
      __kmpc_atomic_end();
    }
  }
  int all = threads * kRounds;
  CHECK(fixed1 == int8_t(all) && fixed2 == int16_t(-all) && plain == all);
  CHECK(fixed4 == 0 || threads % 2 == 1);
  CHECK(fixed8 == 0); // 5 - (5 - x) is x
  CHECK(float4 == float(all) && float8 == all && float10 == all && word10 == all);
  CHECK(cmplx4 == Complex4(all) && cmplx8 == Complex8(all) && word4[3] == all);
}

} // namespace

int main() {
  alone();
  together();
}

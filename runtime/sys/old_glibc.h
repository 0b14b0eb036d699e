// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included before every file of the runtime: a library that is linked here loads on glibc 2.28 as
// well. Since 2.32 and 2.34 the functions below have one more symbol version, which older systems
// lack; what it names is the same code.
#pragma once

#include <features.h>

#if !defined(__GLIBC__)
// has no versions of symbols
#elif defined(__x86_64__)
#define XOMP_FIRST_GLIBC "GLIBC_2.2.5"
#define XOMP_GLIBC(x86_64) x86_64
#elif defined(__aarch64__) || (defined(__powerpc64__) && defined(__LITTLE_ENDIAN__))
#define XOMP_FIRST_GLIBC "GLIBC_2.17" // the first with the architecture: all symbols are of it
#define XOMP_GLIBC(x86_64) XOMP_FIRST_GLIBC
#endif

#ifdef XOMP_FIRST_GLIBC
#define XOMP_OLD(name, version) __asm__(".symver " #name ", " #name "@" version)
XOMP_OLD(dladdr, XOMP_FIRST_GLIBC);
XOMP_OLD(dlclose, XOMP_FIRST_GLIBC);
XOMP_OLD(dlerror, XOMP_FIRST_GLIBC);
XOMP_OLD(dlopen, XOMP_FIRST_GLIBC);
XOMP_OLD(dlsym, XOMP_FIRST_GLIBC);
XOMP_OLD(dlvsym, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_attr_getstack, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_attr_getstacksize, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_attr_setaffinity_np, XOMP_GLIBC("GLIBC_2.3.4"));
XOMP_OLD(pthread_attr_setstacksize, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_create, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_detach, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_getaffinity_np, XOMP_GLIBC("GLIBC_2.3.4"));
XOMP_OLD(pthread_getattr_np, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_join, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_key_create, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_mutex_trylock, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_once, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_setaffinity_np, XOMP_GLIBC("GLIBC_2.3.4"));
XOMP_OLD(pthread_setname_np, XOMP_GLIBC("GLIBC_2.12"));
XOMP_OLD(pthread_setspecific, XOMP_FIRST_GLIBC);
XOMP_OLD(pthread_sigmask, XOMP_FIRST_GLIBC);
#undef XOMP_OLD
#undef XOMP_GLIBC
#undef XOMP_FIRST_GLIBC
#endif

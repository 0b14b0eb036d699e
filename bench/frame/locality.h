// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of paper 3, section 5.1, that say in which locality domain a task's children run. They
// are weak symbols: on a runtime that lacks them the program runs all the same, and its line of
// results says locality=unavailable.
#ifndef XOMP_BENCH_LOCALITY_H
#define XOMP_BENCH_LOCALITY_H

#ifdef __cplusplus
extern "C" {
#endif

// Locality domains of the machine; 1 where the runtime does not know.
int locality_domains(void);

// Tasks that the current task makes from now on belong into this domain.
void locality_children(int domain);

// Strict mode, in which no task leaves its domain, is chosen by the environment, which a runtime
// reads when it is loaded: starts the program again with it, unless it is set already.
void locality_be_strict(char** arguments);

// Adds locality=DOMAINS or locality=unavailable to the line of results.
void locality_note(void);

#ifdef __cplusplus
}
#endif

#endif

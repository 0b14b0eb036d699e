/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What xomp offers beyond OpenMP, for C and C++. docs/schedulers/mts.md has an example. */
#ifndef XOMP_H
#define XOMP_H

#ifdef __cplusplus
extern "C" {
#endif

/* Locality domains (Olivier et al., "Characterizing and mitigating work time inflation in task
   parallel programs", section 5.1): processors and the memory next to them, that is, NUMA nodes;
   numbered from 0. */

/* How many the machine has, or the described one (XOMP_TOPOLOGY). At least 1. */
int omp_get_num_locality_domains(void);

/* The one in which the calling task runs. */
int omp_get_locality_domain_num(void);

/* Tasks that the calling task creates from now on belong into domain `domain`; with -1, or any
   other number that is no domain, into the one of the calling task, as they do without this call.
   Their own children are not concerned. Only schedulers with a queue for each domain
   (XOMP_SCHEDULER=mts) act on it. */
void omp_child_task_affinity(int domain);

#ifdef __cplusplus
}
#endif

#endif

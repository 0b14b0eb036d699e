/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What xomp offers beyond OpenMP, for C and C++. docs/schedulers/mts.md has an example. */
#ifndef XOMP_H
#define XOMP_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that the program runs on, such as "0.1.0". A program that may run on
   another runtime as well declares it weak, and looks whether it is there. */
const char* xomp_version(void);

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

/* A log of what every thread did, and when (docs/perflog-format.md). XOMP_PERFLOG=FOLDER records
   from the beginning to the end; a program can record parts of its run instead. What the calling
   thread does from then on is recorded at once, what others do from their next parallel region on.
   The result is 0, or an errno value. */

/* Begins, or goes on, with a log in this folder, which is made if it is missing; with a null
   pointer in that of the log there is, in XOMP_PERFLOG's, or in the working directory. EALREADY: it
   is recorded. EBUSY: there is a log in another folder. EPERM: the program has more rights than its
   user. */
int xomp_perflog_start(const char* folder);

/* Stops until the next start. EALREADY: it is not recorded. */
int xomp_perflog_stop(void);

/* Returns when the disk has what was recorded so far. ENOENT: there is no log. */
int xomp_perflog_dump(void);

#ifdef __cplusplus
}
#endif

#endif

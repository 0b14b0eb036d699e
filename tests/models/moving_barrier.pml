/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Tasks move between queues while a tree barrier closes (na-ws; redirecting is a creation with any target, which
 * tree_barrier.pml has as it is). A worker takes an entry out of its own rings and puts it into another's ring, in two
 * steps, without becoming dirty; meanwhile the creator's worker may claim the task. The barrier's rule holds; a rule
 * that asks a member whether its queues are empty, instead of whether what it created is done, loses a task (with and without moves).
 *
 * xomp-model: spin=-DBARRIERS=1 cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DTASKS=2 cc=-DSAFETY pan=-m100000
 * xomp-model: spin=-DQUEUES_EMPTY cc=-DSAFETY pan=-E fails
 */
#define MOVES 2
#include "tree_barrier.pml"

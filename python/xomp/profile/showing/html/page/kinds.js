// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of records. Made by tools/make_tables from runtime/trace/kinds.def; change that.

export const THREAD = 1;
export const TASK = 2;
export const CREATE = 3;
export const TASKWAIT = 4;
export const BARRIER = 5;
export const STALL = 6;
export const REGION = 7;
export const IMPLICIT = 8;
export const TASKGROUP = 9;
export const LOOP = 10;
export const CHUNK = 11;
export const SINGLE = 12;
export const MUTEX_WAIT = 13;
export const MUTEX_HELD = 14;
export const SECTIONS = 15;
export const SECTION = 16;
export const DEPENDENCE = 17;
export const DOACROSS = 18;
export const ORDERED = 19;
export const STEAL = 20;
export const STEAL_FAILED = 21;
export const DEPENDENCE_WAIT = 22;
export const PROCESSOR = 23;
export const REQUEST = 24;
export const SUMMARY = 30;
export const HARDWARE = 31;

export const KIND_WORDS = {
  [THREAD]: "thread",
  [TASK]: "task",
  [CREATE]: "task creation",
  [TASKWAIT]: "taskwait",
  [BARRIER]: "barrier",
  [STALL]: "idle",
  [REGION]: "begin and end of a region",
  [IMPLICIT]: "region",
  [TASKGROUP]: "taskgroup",
  [LOOP]: "loop",
  [CHUNK]: "chunk of a loop",
  [SINGLE]: "single",
  [MUTEX_WAIT]: "wait for a lock",
  [MUTEX_HELD]: "lock held",
  [SECTIONS]: "sections",
  [SECTION]: "section",
  [DEPENDENCE]: "dependence",
  [DOACROSS]: "doacross wait",
  [ORDERED]: "ordered wait",
  [STEAL]: "steal",
  [STEAL_FAILED]: "failed steal",
  [DEPENDENCE_WAIT]: "wait for dependences",
  [PROCESSOR]: "processor time",
  [REQUEST]: "request",
  [SUMMARY]: "tasks summed up",
  [HARDWARE]: "hardware counter",
};

// Why a task was run at once. From runtime/trace/at_once.def.
export const AT_ONCE_REASONS = [
  "if or final says so",
  "outside of all regions",
  "as many waited as may",
  "large arguments waited",
];

// The flags of records: value and words. From runtime/trace/flags.def.
export const FLAGS_OF = {
  THREAD: {
    OWN: [1, "made by the program"],
    BEGINS: [2, "the thread was met"],
  },
  PROCESSOR: {
    FIRST: [1, "first reading of a thread"],
  },
  TASK: {
    AT_ONCE: [1, "run at once"],
    UNDEFERRED: [2, "undeferred"],
    UNTIED: [4, "untied"],
    FINAL: [8, "final"],
    DEPENDENCES: [16, "has dependences"],
    DETACHABLE: [32, "detachable"],
    CANCELLED: [64, "cancelled"],
    TAKEN: [128, "run by another than its creator"],
  },
  TASKWAIT: {
    DEPENDENCES: [1, "with dependences"],
  },
  BARRIER: {
    JOIN: [1, "at a region's end"],
    IMPLICIT: [2, "at a construct's end"],
  },
  SINGLE: {
    EXECUTED: [1, "executed here"],
  },
  STALL: {
    SLEPT: [1, "slept"],
  },
  MUTEX: {
    CONTENDED: [16, "held by another"],
  },
  STEAL: {
    REMOTE: [1, "another domain"],
    GIVEN: [2, "given away"],
    FULL: [4, "the other's queue was full"],
  },
  LOOP: {
    STATIC: [1, "static"],
    DYNAMIC: [2, "dynamic"],
    GUIDED: [3, "guided"],
    ORDERED: [32, "ordered"],
    DISTRIBUTE: [64, "distribute"],
  },
};

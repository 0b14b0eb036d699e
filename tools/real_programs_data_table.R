# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Groups, sorts and joins with data.table, and prints what came out. With `fork`, children do the same work again.
library(data.table)
setDTthreads(2)

work <- function(i) {
  set.seed(1)
  rows <- data.table(group = sample(5000, 1e6, TRUE), value = runif(1e6))
  sums <- rows[, .(total = sum(value), count = .N), by = group]
  setorder(rows, value)
  joined <- sums[rows, on = "group"][, mean(total * value)]
  sprintf("%d %.15g %.15g %d", nrow(sums), joined, rows$value[1000], rows$group[1000])
}

parent <- work(0)
writeLines(parent)
if (identical(commandArgs(TRUE), "fork")) {
  children <- unlist(parallel::mclapply(1:4, work, mc.cores = 2))
  writeLines(children)
  if (!all(children == parent)) stop("a child's result is not its parent's")
}

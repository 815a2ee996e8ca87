# P-values of CAM pruning by mgcv: one gam(effect ~ s(cause, k) + ...) for every effect.
# usage: Rscript mgcv.R table.csv adjacency.csv out.json     (adjacency[cause, effect], no header)
suppressMessages(library(mgcv)); library(jsonlite)
a <- commandArgs(TRUE); x <- read.csv(a[1]); adjacency <- as.matrix(read.csv(a[2], header = FALSE))
p <- matrix(1, ncol(x), ncol(x)); start <- proc.time()
for (i in seq_len(ncol(x))) {
  causes <- which(adjacency[, i] != 0); if (!length(causes)) next
  k <- if (nrow(x) / length(causes) < 30) ceiling(nrow(x) / (3 * length(causes))) else 10
  terms <- paste0("s(", names(x)[causes], ",k=", k, ")", collapse = "+")
  p[causes, i] <- summary(gam(as.formula(paste(names(x)[i], "~", terms)), data = x))$s.pv
}
seconds <- sum((proc.time() - start)[1:2])
write(toJSON(list(mgcv = as.character(packageVersion("mgcv")), cpu_seconds = seconds, p = p), digits = I(10), auto_unbox = TRUE), a[3])

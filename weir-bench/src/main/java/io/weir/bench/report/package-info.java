/** What every part of the benchmarks is told by: rounds of trials, and tables with results. */
package io.weir.bench.report;

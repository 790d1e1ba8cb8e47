/** Measurement plans, trials and result tables of all benchmark suites. */
package io.weir.bench.report;

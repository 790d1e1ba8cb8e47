/** Benchmarks of Weir and its peers in one run: {@code ./bench PART [--quick]} in the root. */
package io.weir.bench;

/** Ours beside the peers, measured in one run: {@code ./bench PART [--quick]} at the root. */
package io.weir.bench;

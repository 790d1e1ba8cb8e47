/** Nodes that share one Redis, in each consistency mode. */
package io.weir.bench.nodes;

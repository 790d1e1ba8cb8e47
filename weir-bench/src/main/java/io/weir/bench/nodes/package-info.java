/** Nodes that count together on one Redis, in each of the ways a rule may say. */
package io.weir.bench.nodes;

/** Decisions, stores and rules as Micrometer's meters, under the same names in every node. */
package io.weir.metrics;

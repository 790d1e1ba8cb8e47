/** Micrometer meters for decisions, stores and rules, with the same names on every node. */
package io.weir.metrics;

/**
 * How nodes that share a store count together: exactly, by lease, by reconciling, or each alone.
 */
package io.weir.store.nodes;

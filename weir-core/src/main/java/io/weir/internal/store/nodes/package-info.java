/** Counting on several nodes that share a store: exact, leased, synced or local. */
package io.weir.internal.store.nodes;

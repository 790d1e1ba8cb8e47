/**
 * Where counters live: the one duty of a store, the decision procedure, and the table in memory.
 */
package io.weir.store;

/**
 * Stores of counters: the interface, the evaluation of claims, the guard against store failures,
 * and the store in memory.
 */
package io.weir.internal.store;

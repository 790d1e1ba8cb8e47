package io.weir.client;

/**
 * The state of one limit as reported by an answer. Times are in microseconds.
 *
 * @param name the name of the limit; empty if it has none
 * @param limit the capacity; 0 if not reported
 * @param windowMicros the time until a used permit is available again; 0 if not reported
 * @param remaining the remaining permits
 * @param resetMicros the time until all permits are available again
 */
record LimitSnapshot(
    String name, long limit, long windowMicros, long remaining, long resetMicros) {}

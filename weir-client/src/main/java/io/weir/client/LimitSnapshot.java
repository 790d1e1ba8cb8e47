package io.weir.client;

/**
 * What an answer says of one limit. Times are in microseconds.
 *
 * @param name of the limit, as the service calls it; empty if it does not
 * @param limit the most that can ever fit; 0 if not said
 * @param windowMicros how long until a used permit is back; 0 if not said
 * @param remaining the permits left
 * @param resetMicros the time until all are back
 */
record LimitSnapshot(
    String name, long limit, long windowMicros, long remaining, long resetMicros) {}

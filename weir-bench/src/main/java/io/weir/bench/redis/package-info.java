/**
 * Decisions on Redis by Weir and its peers: candidates, loads, and the suites of {@code ./bench
 * redis} and {@code ./bench redis-memory}.
 */
package io.weir.bench.redis;

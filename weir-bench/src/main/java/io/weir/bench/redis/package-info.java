/**
 * Deciding over Redis, ours beside the peers: the candidates, the loads they are put under, and the
 * two parts {@code ./bench redis} and {@code ./bench redis-memory}.
 */
package io.weir.bench.redis;

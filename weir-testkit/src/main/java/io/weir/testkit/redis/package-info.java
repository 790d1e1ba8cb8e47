/**
 * For tests: real Redis processes on loopback, standalone, with sentinels or as a cluster, and a
 * proxy that injects network faults.
 *
 * <p>The executable is the one in {@code org.signal:embedded-redis}, or the one that the system
 * property {@code weir.redis.server} or the environment variable {@code WEIR_REDIS_SERVER} names.
 */
package io.weir.testkit.redis;

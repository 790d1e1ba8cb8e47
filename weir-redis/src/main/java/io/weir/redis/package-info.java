/** Counters in Redis or Valkey: any number of nodes share one budget, decided inside the server. */
@org.jspecify.annotations.NullMarked
package io.weir.redis;

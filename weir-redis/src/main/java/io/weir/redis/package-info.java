/** Counters in Redis or Valkey: one budget for any number of nodes, decided inside the server. */
@org.jspecify.annotations.NullMarked
package io.weir.redis;

/**
 * Rate limiting in memory, without dependencies.
 *
 * <p>{@code io.weir}, {@code io.weir.rule} and {@code io.weir.store} are the API. The other
 * packages are for the modules of Weir only and change without notice.
 */
@SuppressWarnings("module") // the modules that use the internals are compiled later
module io.weir.core {
  requires static transitive org.jspecify;

  exports io.weir;
  exports io.weir.rule;
  exports io.weir.store;
  exports io.weir.internal to
      io.weir.admin,
      io.weir.bench,
      io.weir.cli,
      io.weir.client,
      io.weir.http,
      io.weir.lab,
      io.weir.rules,
      io.weir.server,
      io.weir.spring,
      io.weir.testkit,
      io.weir.web;
  exports io.weir.internal.algorithm to
      io.weir.bench,
      io.weir.cli,
      io.weir.http,
      io.weir.lab,
      io.weir.redis,
      io.weir.rules,
      io.weir.server,
      io.weir.testkit;
  exports io.weir.internal.algorithm.inflight to
      io.weir.lab,
      io.weir.redis;
  exports io.weir.internal.background to
      io.weir.admin,
      io.weir.cli,
      io.weir.gateway,
      io.weir.http,
      io.weir.metrics,
      io.weir.redis,
      io.weir.rules,
      io.weir.server,
      io.weir.spring;
  exports io.weir.internal.decision to
      io.weir.admin,
      io.weir.client,
      io.weir.gateway,
      io.weir.http,
      io.weir.lab,
      io.weir.metrics,
      io.weir.server;
  exports io.weir.internal.glob to
      io.weir.http,
      io.weir.rules;
  exports io.weir.internal.region to
      io.weir.admin,
      io.weir.redis;
  exports io.weir.internal.rule to
      io.weir.admin,
      io.weir.bench,
      io.weir.cli,
      io.weir.client,
      io.weir.http,
      io.weir.lab,
      io.weir.metrics,
      io.weir.redis,
      io.weir.server,
      io.weir.testkit;
  exports io.weir.internal.store to
      io.weir.admin,
      io.weir.bench,
      io.weir.cli,
      io.weir.client,
      io.weir.http,
      io.weir.lab,
      io.weir.metrics,
      io.weir.redis,
      io.weir.server,
      io.weir.spring,
      io.weir.testkit;
  exports io.weir.internal.store.nodes to
      io.weir.admin,
      io.weir.cli,
      io.weir.lab,
      io.weir.metrics,
      io.weir.redis;
}

/**
 * Load tests of the server and the gateway, compared with a bare server and nginx: the suites of
 * {@code ./bench server} and {@code ./bench gateway}.
 */
package io.weir.bench.server;

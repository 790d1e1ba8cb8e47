package io.weir.server;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Supplier;

/**
 * One port of the server, and what answers there.
 *
 * @param name what people call it, such as {@code http}
 * @param port 0 for any free one
 * @param options all but the address
 * @param handlerFactory makes a handler for each event loop
 */
record HttpListenerConfig(
    String name,
    String host,
    int port,
    HttpServerOptions options,
    Supplier<Handler<HttpServerRequest>> handlerFactory) {}

package io.weir.server;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Supplier;

/**
 * Configuration of one HTTP listener of the server: its address, options and request handlers.
 *
 * @param name the listener's name in settings and messages, such as {@code http}
 * @param port the port to listen on; 0 for any free port
 * @param options all options except the address
 * @param handlerFactory creates one request handler for each event loop
 */
record HttpListenerConfig(
    String name,
    String host,
    int port,
    HttpServerOptions options,
    Supplier<Handler<HttpServerRequest>> handlerFactory) {}

package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.weir.http.IdentifiedRequest;

/** A request as it came: who calls what, and the body that comes with it. */
record ProxiedRequest(
    HttpServerRequest http, IdentifiedRequest call, RequestBodyForwarder requestBody) {}

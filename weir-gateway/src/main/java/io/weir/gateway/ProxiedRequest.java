package io.weir.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.weir.http.IdentifiedRequest;

/** A request to be proxied: the HTTP request, its caller and target, and its body. */
record ProxiedRequest(
    HttpServerRequest http, IdentifiedRequest call, RequestBodyForwarder requestBody) {}

package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.weir.http.Call;

/** A request as it came: who calls what, and the body that comes with it. */
record Visit(HttpServerRequest http, Call call, Upload upload) {}

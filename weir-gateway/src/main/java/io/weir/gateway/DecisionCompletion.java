package io.weir.gateway;

import io.weir.Limiter;

/** Completes the decision of each request with the status of its response. */
record DecisionCompletion(Limiter limiter) implements RequestEndListener {

  @Override
  public void onRequestEnd(ProxiedRequest request) {
    if (request.isDecided()) {
      var unused = limiter.complete(request.decision(), request.responseStatus());
    }
  }
}

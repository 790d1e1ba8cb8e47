package io.weir.gateway;

/** Called once for each request when it has ended, on the event loop of its connection. */
@FunctionalInterface
interface RequestEndListener {
  /**
   * Called after the last byte of the response, or after the connection was closed.
   *
   * @param request with its decision, its failure and its response's status
   */
  void onRequestEnd(ProxiedRequest request);
}

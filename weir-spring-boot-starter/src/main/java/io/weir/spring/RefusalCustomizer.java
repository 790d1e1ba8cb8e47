package io.weir.spring;

import io.weir.Decision;
import io.weir.http.RefusalResponse;

/**
 * Changes the response to refused requests. Define a bean of this type, in servlet and in WebFlux
 * applications alike. The rate limit headers are written in any case.
 */
@FunctionalInterface
public interface RefusalCustomizer {

  /**
   * Returns the status, content type and body to send. Called on the thread of the request, and
   * must not block. If it fails, the default response is sent.
   *
   * @param decision why the request is refused
   * @param response the default response
   */
  RefusalResponse customize(Decision decision, RefusalResponse response);
}

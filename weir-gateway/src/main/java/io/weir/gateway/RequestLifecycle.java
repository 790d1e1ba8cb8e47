package io.weir.gateway;

import io.weir.store.Clock;
import java.util.List;

/**
 * What all requests of a gateway have in common.
 *
 * @param clock the time of requests
 * @param endListeners called when a request has ended
 * @param reasonHeader whether responses name the reason of a failure in {@link #REASON_HEADER}
 */
record RequestLifecycle(Clock clock, List<RequestEndListener> endListeners, boolean reasonHeader) {
  /** The header field with the reason of a failure, for operators. */
  static final String REASON_HEADER = "X-Weir-Reason";
}

package io.weir.server.rls;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.weir.Decision;
import io.weir.rule.StoreFailureFallback;
import java.util.List;

/** What Envoy is told where the store is silent. */
public enum EnvoyStoreFailureMode {
  /** What the rules' postures say: yes, no, or from this node's share. */
  FALLBACK,

  /**
   * What is admitted only because a posture is open is an error instead, so that {@code
   * failure_mode_deny} of Envoy's filter decides. Postures that are closed or local still answer.
   */
  ERROR;

  boolean requiresError(RateLimitResponse answer, List<Decision> decisions) {
    return this == ERROR
        && answer.getOverallCode() == Code.OK
        && decisions.stream().anyMatch(EnvoyStoreFailureMode::isAdmittedByOpenFallback);
  }

  private static boolean isAdmittedByOpenFallback(Decision decision) {
    for (int i = 0; i < decision.claimCount(); i++) {
      boolean open =
          decision.claim(i).limit().rule().fallback().action()
              == StoreFailureFallback.FallbackAction.OPEN;
      if (open && decision.outcome(i).degraded() && !decision.claim(i).limit().shadow()) {
        return true;
      }
    }
    return false;
  }
}

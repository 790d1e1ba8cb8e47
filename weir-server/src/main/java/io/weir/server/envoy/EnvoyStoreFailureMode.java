package io.weir.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.weir.Decision;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.rule.StoreFailureFallback;
import java.util.List;

/** The response to Envoy if the store is unavailable. */
public enum EnvoyStoreFailureMode {
  /** The decision of the rules' fallbacks. */
  FALLBACK,

  /**
   * An error for calls that only an open fallback admits, so that {@code failure_mode_deny} of
   * Envoy's filter decides. Closed and local fallbacks still apply.
   */
  ERROR;

  boolean requiresError(RateLimitResponse response, List<Decision> decisions) {
    return this == ERROR
        && response.getOverallCode() == Code.OK
        && decisions.stream().anyMatch(EnvoyStoreFailureMode::isAdmittedByOpenFallback);
  }

  private static boolean isAdmittedByOpenFallback(Decision decision) {
    for (int i = 0; i < EvaluatedDecision.of(decision).claimCount(); i++) {
      boolean open =
          EvaluatedDecision.of(decision).claim(i).limit().rule().fallback().action()
              == StoreFailureFallback.FallbackAction.OPEN;
      if (open
          && EvaluatedDecision.of(decision).outcome(i).degraded()
          && !EvaluatedDecision.of(decision).claim(i).limit().shadow()) {
        return true;
      }
    }
    return false;
  }
}

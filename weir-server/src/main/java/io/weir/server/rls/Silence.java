package io.weir.server.rls;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.weir.Decision;
import io.weir.rule.Posture;
import java.util.List;

/** What Envoy is told where the store is silent. */
public enum Silence {
  /** What the rules' postures say: yes, no, or from this node's share. */
  POSTURE,

  /**
   * What is admitted only because a posture is open is an error instead, so that {@code
   * failure_mode_deny} of Envoy's filter decides. Postures that are closed or local still answer.
   */
  ERROR;

  boolean leavesToEnvoy(RateLimitResponse answer, List<Decision> decisions) {
    return this == ERROR
        && answer.getOverallCode() == Code.OK
        && decisions.stream().anyMatch(Silence::isOpened);
  }

  private static boolean isOpened(Decision decision) {
    for (int i = 0; i < decision.size(); i++) {
      boolean open = decision.claim(i).limit().rule().posture().answer() == Posture.Answer.OPEN;
      if (open && decision.outcome(i).degraded() && !decision.claim(i).limit().shadow()) {
        return true;
      }
    }
    return false;
  }
}

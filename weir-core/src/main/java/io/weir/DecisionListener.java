package io.weir;

/**
 * Receives every decision, for metrics, logs and alerts. It is called on the thread that decided
 * and must return quickly; exceptions are caught and do not affect the decision.
 */
@FunctionalInterface
public interface DecisionListener {

  void onDecision(Request request, Decision decision);
}

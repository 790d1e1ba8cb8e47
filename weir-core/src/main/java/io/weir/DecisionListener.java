package io.weir;

/**
 * Hears of every request that was decided, for metrics, logs and alerts. It runs on the thread that
 * decided, so it must be quick; what it throws is caught and cannot change a decision.
 */
@FunctionalInterface
public interface DecisionListener {

  void onDecision(Request request, Decision decision);
}

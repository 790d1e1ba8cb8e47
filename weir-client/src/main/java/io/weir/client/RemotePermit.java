package io.weir.client;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.client.DecisionServiceClient.ServiceRequest;
import io.weir.store.StoreOperation;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A permit of the decision service. It is released in the background; if the service does not
 * answer, the slot is free again after the rule's {@code held-at-most}. Thread-safe.
 */
final class RemotePermit implements Limiter.Permit {
  private final Decision decision;
  private final @Nullable String id;
  private final DecisionServiceClient service;
  private final AtomicBoolean held;

  /**
   * @param id the id to release it by; null if it holds no slot
   */
  RemotePermit(Decision decision, @Nullable String id, DecisionServiceClient service) {
    this.decision = decision;
    this.id = id;
    this.service = service;
    held = new AtomicBoolean(id != null);
  }

  @Override
  public Decision decision() {
    return decision;
  }

  @Override
  public boolean isHeld() {
    return held.get();
  }

  @Override
  public boolean release() {
    if (!held.compareAndSet(true, false)) {
      return false;
    }
    var unused =
        service.call(
            new ServiceRequest("POST", "/v1/release/" + id, "", StoreOperation.REFUND),
            response -> response.statusCode());
    return true;
  }
}

package io.weir.spring;

import io.weir.background.BackgroundTasks;
import io.weir.background.TaskStatus;
import io.weir.store.StoreHealth;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a health indicator says, whichever Spring Boot asks. The application is up without its
 * store, for postures answer: were it not, a Redis that is gone would take all instances out of
 * service at once.
 */
public final class WeirHealth {
  private final WeirStatus status;

  WeirHealth(WeirStatus summary) {
    this.status = summary;
  }

  /** Store and rules, and whether decisions are degraded. */
  public Map<String, Object> details() {
    StoreHealth health = status.store().health();
    long stale = status.ruleSource().staleness().toMillis();
    Map<String, Object> details = new LinkedHashMap<>();
    String writeFailure = status.ruleSource().writeFailure();
    List<String> tasks = BackgroundTasks.unhealthy().stream().map(TaskStatus::name).toList();
    details.put(
        "degraded",
        !health.available() || stale > 0 || !writeFailure.isEmpty() || !tasks.isEmpty());
    details.put("store", status.storeDescription());
    details.put("revision", status.ruleSource().current().revision());
    details.put("stale_ms", stale);
    details.put("writable", writeFailure.isEmpty());
    details.put("unhealthy_tasks", tasks);
    return details;
  }
}

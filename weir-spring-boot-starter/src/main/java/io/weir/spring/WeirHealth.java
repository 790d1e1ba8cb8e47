package io.weir.spring;

import io.weir.internal.background.BackgroundTasks;
import io.weir.internal.background.TaskStatus;
import io.weir.store.StoreHealth;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The details of Weir's health indicator, for Spring Boot 3 and 4. The status stays UP without the
 * store because decisions then use each rule's fallback; otherwise an unavailable Redis would take
 * all instances out of service at once.
 */
public final class WeirHealth {
  private final WeirStatus status;

  WeirHealth(WeirStatus status) {
    this.status = status;
  }

  /** Returns the state of the store and the rules, and whether decisions are degraded. */
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

package io.weir.spring;

import io.weir.background.BackgroundTasks;
import io.weir.background.TaskStatus;
import io.weir.store.Health;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a health indicator says, whichever Spring Boot asks. The application is up without its
 * store, for postures answer: were it not, a Redis that is gone would take all instances out of
 * service at once.
 */
public final class WeirVitals {
  private final Summary summary;

  WeirVitals(Summary summary) {
    this.summary = summary;
  }

  /** Store and rules, and whether decisions are degraded. */
  public Map<String, Object> details() {
    Health health = summary.store().health();
    long stale = summary.plan().stale().toMillis();
    Map<String, Object> details = new LinkedHashMap<>();
    String writeFailure = summary.plan().writeFailure();
    List<String> tasks = BackgroundTasks.unhealthy().stream().map(TaskStatus::name).toList();
    details.put(
        "degraded",
        !health.available() || stale > 0 || !writeFailure.isEmpty() || !tasks.isEmpty());
    details.put("store", summary.storeText());
    details.put("revision", summary.plan().current().revision());
    details.put("stale_ms", stale);
    details.put("writable", writeFailure.isEmpty());
    details.put("unhealthy_tasks", tasks);
    return details;
  }
}

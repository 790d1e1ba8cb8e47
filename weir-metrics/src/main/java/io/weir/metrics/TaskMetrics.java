package io.weir.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.internal.background.BackgroundTasks;
import io.weir.internal.background.TaskStatus;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The meters of the background tasks of this process, by task name. Their number is bounded by the
 * tasks in the code. Thread-safe.
 */
final class TaskMetrics {
  private final MeterRegistry registry;
  private final Set<String> registeredTasks = ConcurrentHashMap.newKeySet();

  TaskMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Registers meters for tasks that have started since the last call. */
  void registerNewTasks() {
    for (TaskStatus task : BackgroundTasks.statuses()) {
      if (registeredTasks.add(task.name())) {
        register(task.name());
      }
    }
  }

  private void register(String name) {
    FunctionCounter.builder(
            "weir.background.task.failures", name, task -> BackgroundTasks.failures(task))
        .description("Failed rounds of a background task; the task continues with the next round")
        .tag("task", name)
        .register(registry);
    Gauge.builder("weir.background.task.overdue", name, TaskMetrics::overdue)
        .description("1 while a background task has not completed a round for 3 intervals")
        .strongReference(true)
        .tag("task", name)
        .register(registry);
  }

  private static double overdue(String name) {
    return BackgroundTasks.statuses().stream()
            .anyMatch(task -> task.name().equals(name) && task.overdue())
        ? 1
        : 0;
  }
}

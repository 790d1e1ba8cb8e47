package io.weir.internal.background;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The registry of all background tasks of this process, for health checks and metrics.
 *
 * <p>A daemon thread checks the tasks every second and logs overdue ones; it runs only while there
 * are tasks. All nodes in the same process share this registry. Thread-safe.
 */
public final class BackgroundTasks {
  private static final long CHECK_INTERVAL_NANOS = 1_000_000_000L;

  private static final Set<TaskMonitor> MONITORS = ConcurrentHashMap.newKeySet();
  private static final Map<String, AtomicLong> FAILURES = new ConcurrentHashMap<>();
  private static boolean supervisorRunning;

  private BackgroundTasks() {}

  /** Returns the status of all running tasks, merged and sorted by name. */
  public static List<TaskStatus> statuses() {
    Map<String, TaskStatus> byName = new TreeMap<>();
    for (TaskMonitor monitor : MONITORS) {
      byName.merge(monitor.name(), monitor.status(), TaskStatus::combinedWith);
    }
    return List.copyOf(byName.values());
  }

  /** Returns the tasks that are overdue or whose last round failed, sorted by name. */
  public static List<TaskStatus> unhealthy() {
    List<TaskStatus> unhealthy = new ArrayList<>(statuses());
    unhealthy.removeIf(TaskStatus::isHealthy);
    return unhealthy;
  }

  /** How many rounds of tasks with this name have failed; it never decreases. */
  public static long failures(String name) {
    return failureCounter(name).get();
  }

  /**
   * Returns the failure counter of a task; names are constants in the code, so the map is bounded.
   */
  static AtomicLong failureCounter(String name) {
    return FAILURES.computeIfAbsent(name, n -> new AtomicLong());
  }

  static void add(TaskMonitor monitor) {
    MONITORS.add(monitor);
    synchronized (BackgroundTasks.class) {
      if (!supervisorRunning) {
        Thread thread = new Thread(BackgroundTasks::supervise, "weir-supervisor");
        thread.setDaemon(true);
        thread.start();
        supervisorRunning = true;
      }
    }
  }

  static void remove(TaskMonitor monitor) {
    MONITORS.remove(monitor);
  }

  @SuppressWarnings("EmptyCatch") // a failed check must not end supervision
  private static void supervise() {
    while (hasMonitors()) {
      try {
        LockSupport.parkNanos(BackgroundTasks.class, CHECK_INTERVAL_NANOS);
        var unused = Thread.interrupted(); // otherwise it would never park again
        MONITORS.forEach(TaskMonitor::check);
      } catch (Throwable e) {
        // nothing here may throw, so this does not even log
      }
    }
  }

  private static boolean hasMonitors() {
    synchronized (BackgroundTasks.class) {
      supervisorRunning = !MONITORS.isEmpty();
      return supervisorRunning;
    }
  }
}

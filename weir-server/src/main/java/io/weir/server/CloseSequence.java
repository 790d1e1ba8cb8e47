package io.weir.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;

/** What was begun and must be ended: the last first, each whatever the others do. */
final class CloseSequence implements AutoCloseable {
  private static final Logger LOG = System.getLogger(DecisionServer.class.getName());

  private final Deque<AutoCloseable> resources = new ArrayDeque<>();

  /** Notes what must be closed. */
  <T extends AutoCloseable> T add(T one) {
    resources.push(one);
    return one;
  }

  @Override
  public void close() {
    while (!resources.isEmpty()) {
      try {
        resources.pop().close();
      } catch (Exception e) {
        LOG.log(Level.WARNING, "while stopping: {0}", String.valueOf(e.getMessage()));
      }
    }
  }
}

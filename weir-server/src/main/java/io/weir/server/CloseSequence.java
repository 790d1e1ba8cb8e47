package io.weir.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes resources in the reverse order of their creation. A resource that fails to close does not
 * prevent the others from being closed.
 */
final class CloseSequence implements AutoCloseable {
  private static final Logger LOG = System.getLogger(DecisionServer.class.getName());

  private final Deque<AutoCloseable> resources = new ArrayDeque<>();

  /** Registers a resource to be closed, and returns it. */
  <T extends AutoCloseable> T add(T resource) {
    resources.push(resource);
    return resource;
  }

  @Override
  public void close() {
    while (!resources.isEmpty()) {
      try {
        resources.pop().close();
      } catch (Exception e) {
        LOG.log(Level.WARNING, "error while stopping: {0}", String.valueOf(e.getMessage()));
      }
    }
  }
}

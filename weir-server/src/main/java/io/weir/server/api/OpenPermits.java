package io.weir.server.api;

import io.weir.Limiter;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The permits that callers of the decision API hold on this node, by unguessable ids that begin
 * with the name of the node. Thread-safe.
 */
public final class OpenPermits {
  private static final int ID_BYTES = 16;
  private static final int CHECKED_PER_ADD = 2;

  private final String node;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Limiter.Permit> permitsById = new ConcurrentHashMap<>();

  /** All ids, the one that was checked longest ago first. */
  private final Queue<String> idsToCheck = new ConcurrentLinkedQueue<>();

  public OpenPermits(String node) {
    this.node = node;
  }

  /** Adds a permit until it is released or has been held too long; returns its id. */
  String add(Limiter.Permit permit) {
    for (int i = 0; i < CHECKED_PER_ADD; i++) {
      removeOneIfReleased();
    }
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = node + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    permitsById.put(id, permit);
    idsToCheck.add(id);
    return id;
  }

  private void removeOneIfReleased() {
    String id = idsToCheck.poll();
    Limiter.Permit permit = id == null ? null : permitsById.get(id);
    if (id == null || permit == null) {
      return;
    }
    if (permit.isHeld()) {
      idsToCheck.add(id);
    } else {
      permitsById.remove(id);
    }
  }

  /** Releases the permit with an id; returns whether it held a slot. */
  public boolean release(String id) {
    Limiter.@Nullable Permit permit = permitsById.remove(id);
    return permit != null && permit.release();
  }

  /** Whether an id was created by another node, which may still have the permit. */
  boolean isFromOtherNode(String id) {
    return id.indexOf('.') > 0 && !id.startsWith(node + ".");
  }

  /** Returns how many permits have not been released, including some that have expired. */
  public int size() {
    return permitsById.size();
  }
}

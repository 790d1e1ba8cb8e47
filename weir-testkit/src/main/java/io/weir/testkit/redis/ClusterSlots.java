package io.weir.testkit.redis;

import java.util.Arrays;
import java.util.List;

/** Maps each slot to the port that serves it, from the views of the nodes of a cluster. */
final class ClusterSlots {
  static final int COUNT = 16_384;

  private final int[] ports = new int[COUNT];
  private final long[] epochs = new long[COUNT];

  ClusterSlots() {
    Arrays.fill(epochs, -1);
  }

  /**
   * Adds one node's view, the reply to CLUSTER NODES.
   *
   * <p>Where views differ, the higher epoch is right: a replica that takes over gets a new epoch,
   * which a disconnected node does not know yet.
   */
  void add(String nodes) {
    for (String line : nodes.lines().toList()) {
      List<String> words = List.of(line.split(" ", -1));
      String address = words.get(1);
      int port =
          Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@')));
      long epoch = Long.parseLong(words.get(6));
      for (String range : words.subList(8, words.size())) {
        if (!range.startsWith("[")) {
          add(range, port, epoch);
        }
      }
    }
  }

  int port(int slot) {
    if (epochs[slot] < 0) {
      throw new IllegalStateException("no node serves slot " + slot);
    }
    return ports[slot];
  }

  /** Returns the ports that serve any slot, ordered by their lowest slot. */
  List<Integer> ports() {
    return Arrays.stream(ports).filter(port -> port > 0).distinct().boxed().toList();
  }

  private void add(String range, int port, long epoch) {
    List<String> ends = List.of(range.split("-", -1));
    int last = Integer.parseInt(ends.get(ends.size() - 1));
    for (int slot = Integer.parseInt(ends.get(0)); slot <= last; slot++) {
      if (epoch > epochs[slot]) {
        ports[slot] = port;
        epochs[slot] = epoch;
      }
    }
  }
}

package io.weir.testkit.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Redis Cluster of three primaries, which share the slots evenly, and one replica of each.
 *
 * <p>Safe for use by several threads.
 */
public final class RedisCluster implements AutoCloseable {
  private static final int PRIMARIES = 3;

  /** Short, since a frozen node must not delay the replies of the others. */
  private static final Duration PROBE_TIMEOUT = Duration.ofMillis(300);

  private final RedisServerGroup nodes = new RedisServerGroup();

  private RedisCluster() {}

  /** Starts a cluster that serves all slots, with replicas in sync and a node timeout of 1 s. */
  public static RedisCluster start() {
    RedisCluster cluster = new RedisCluster();
    try {
      cluster.formCluster();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  public String uri() {
    return "redis-cluster://" + nodes.hosts();
  }

  /** Returns all six servers. */
  public List<RedisProcess> servers() {
    return nodes.servers();
  }

  /** Returns the servers of slots, or the last ones if their replicas have not taken over yet. */
  public List<RedisProcess> primaries() {
    return slots().ports().stream().map(nodes::byPort).toList();
  }

  /** Returns the server of a slot, or the last one if its replica has not taken over yet. */
  public RedisProcess primaryOf(int slot) {
    return nodes.byPort(slots().port(slot));
  }

  @Override
  public void close() {
    nodes.close();
  }

  private ClusterSlots slots() {
    ClusterSlots slots = new ClusterSlots();
    nodes.servers().stream().flatMap(RedisCluster::clusterNodes).forEach(slots::add);
    return slots;
  }

  /** Returns a node's view of the cluster; empty if the node is killed or frozen. */
  private static Stream<String> clusterNodes(RedisProcess node) {
    try {
      return Stream.of(String.valueOf(node.command(PROBE_TIMEOUT, "CLUSTER", "NODES")));
    } catch (UncheckedIOException e) {
      return Stream.empty();
    }
  }

  private void formCluster() {
    for (int i = 0; i < 2 * PRIMARIES; i++) {
      nodes.add(List.of(), "cluster-enabled yes", "cluster-node-timeout 1000");
    }
    List<RedisProcess> all = nodes.servers();
    List<RedisProcess> replicas = all.subList(PRIMARIES, all.size());
    List<String> names = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      RedisProcess node = all.get(i);
      names.add(RedisServerGroup.textReply(node, "CLUSTER", "MYID"));
      node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
      // every pair of nodes is introduced, since gossip alone takes seconds
      for (RedisProcess other : all.subList(0, i)) {
        node.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()));
      }
    }
    for (int i = 0; i < PRIMARIES; i++) {
      int first = ClusterSlots.COUNT * i / PRIMARIES;
      int last = ClusterSlots.COUNT * (i + 1) / PRIMARIES - 1;
      all.get(i)
          .command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first), Integer.toString(last));
    }
    RedisServerGroup.awaitReady(
        replicas, view -> names.stream().allMatch(view::contains), "CLUSTER", "NODES");
    for (int i = 0; i < PRIMARIES; i++) {
      replicas.get(i).command("CLUSTER", "REPLICATE", names.get(i));
    }
    RedisServerGroup.awaitReady(
        replicas, info -> info.contains("link_status:up"), "INFO", "replication");
    RedisServerGroup.awaitReady(
        all, view -> view.split("slave ", -1).length == PRIMARIES + 1, "CLUSTER", "NODES");
    RedisServerGroup.awaitReady(all, info -> info.contains("cluster_state:ok"), "CLUSTER", "INFO");
  }
}

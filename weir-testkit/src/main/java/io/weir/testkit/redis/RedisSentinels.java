package io.weir.testkit.redis;

import java.util.List;

/**
 * One primary, two replicas, and three sentinels that promote a replica when the primary is lost.
 *
 * <p>Safe for use by several threads.
 */
public final class RedisSentinels implements AutoCloseable {
  private static final String MASTER_NAME = "weir";
  private static final int REPLICAS = 2;
  private static final int SENTINELS = 3;

  /**
   * Short intervals, so that sentinels discover each other and the servers quickly, and no long
   * TILT pause after a delay of a busy machine. Pings are so frequent that a new primary has
   * answered one long before it would be considered down; otherwise it would be replaced in turn,
   * while clients still write to it.
   */
  private static final String[] FAST_TIMERS =
      "SENTINEL DEBUG PUBLISH-PERIOD 200 INFO-PERIOD 1000 PING-PERIOD 300 TILT-TRIGGER 20000"
          .split(" ", -1);

  private final RedisServerGroup servers = new RedisServerGroup();
  private final RedisServerGroup sentinels = new RedisServerGroup();

  private RedisSentinels() {}

  /** Starts servers in sync, and sentinels that know each other and detect a loss in a second. */
  public static RedisSentinels start() {
    RedisSentinels started = new RedisSentinels();
    try {
      started.formGroup();
      return started;
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
  }

  public String uri() {
    return "redis-sentinel://" + sentinels.hosts() + "/" + MASTER_NAME;
  }

  /** Returns the server that a sentinel reports as the primary, whether it runs or not. */
  public RedisProcess primary() {
    RedisProcess sentinel = sentinels.servers().get(0);
    Object address = sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME);
    if (address instanceof List<?> list && list.get(1) instanceof String port) {
      return servers.byPort(Integer.parseInt(port));
    }
    throw new IllegalStateException("not an address: " + address);
  }

  /** Returns all three servers, the initial primary first. */
  public List<RedisProcess> servers() {
    return servers.servers();
  }

  @Override
  public void close() {
    sentinels.close();
    servers.close();
  }

  private void formGroup() {
    int port = servers.add(List.of()).port();
    for (int i = 0; i < REPLICAS; i++) {
      servers.add(List.of(), "replicaof 127.0.0.1 " + port);
    }
    RedisServerGroup.awaitReady(
        servers().subList(0, 1),
        info -> info.split("state=online", -1).length == REPLICAS + 1,
        "INFO",
        "replication");
    for (int i = 0; i < SENTINELS; i++) {
      RedisProcess sentinel =
          sentinels.add(
              List.of("--sentinel"),
              "sentinel monitor " + MASTER_NAME + " 127.0.0.1 " + port + " 2",
              // staggered, since sentinels that act at the same time vote for themselves
              "sentinel down-after-milliseconds " + MASTER_NAME + " " + (1000 + 300 * i),
              "sentinel failover-timeout " + MASTER_NAME + " 2000");
      sentinel.command(FAST_TIMERS);
    }
    RedisServerGroup.awaitReady(
        sentinels.servers(),
        master ->
            master.contains("num-slaves, " + REPLICAS)
                && master.contains("num-other-sentinels, " + (SENTINELS - 1))
                && master.contains("flags, master,"),
        "SENTINEL",
        "MASTER",
        MASTER_NAME);
  }
}

package io.weir.server.doctor;

import io.weir.redis.RedisView;
import io.weir.redis.RedisView.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at how the servers stand in for each other. */
record Replication(RedisView view) {
  private static final String SUBJECT = "replication";
  private static final int FEW_SENTINELS = 3;

  List<Finding> findings() {
    return switch (view.shape()) {
      case SINGLE -> List.of(single(view.servers().get(0)));
      case SENTINEL -> List.of(sentinels());
      case CLUSTER -> cluster();
    };
  }

  private static Finding single(Server server) {
    if ("1".equals(server.info().get("cluster_enabled"))) {
      return Finding.problem(
          SUBJECT,
          server.name() + " is a node of a cluster",
          "write --store redis-cluster://" + server.name());
    }
    if (!"master".equals(server.info().get("role"))) {
      String master = server.info().get("master_host") + ":" + server.info().get("master_port");
      return Finding.problem(
          SUBJECT,
          server.name() + " is a replica, which does not count",
          "write --store redis://" + master + ", or redis-sentinel://");
    }
    return Finding.ok(
        SUBJECT, server.name() + " is a primary with " + replicas(server) + " replicas");
  }

  private Finding sentinels() {
    long others = number("num-other-sentinels");
    long quorum = number("quorum");
    long replicas = number("num-slaves");
    String text =
        "%d sentinels, of which %d must agree, and %d replicas"
            .formatted(others + 1, quorum, replicas);
    if (view.master().getOrDefault("flags", "").contains("down")) {
      return Finding.problem(
          SUBJECT, text + "; they hold the primary for down", "look at the sentinels' logs");
    }
    if (others + 1 < quorum) {
      return Finding.problem(SUBJECT, text + ": nobody is ever promoted", "start more sentinels");
    }
    if (replicas == 0) {
      return Finding.warning(SUBJECT, text + ": nobody can be promoted", "add a replica");
    }
    return others + 1 < FEW_SENTINELS
        ? Finding.warning(SUBJECT, text + ": they cannot outvote a lost one", "run three or more")
        : Finding.ok(SUBJECT, text);
  }

  private List<Finding> cluster() {
    List<Server> told = view.servers().stream().filter(s -> !s.info().isEmpty()).toList();
    List<Finding> all = new ArrayList<>();
    for (Server server : told) {
      String state = server.info().getOrDefault("cluster_state", "ok");
      if (!state.equals("ok")) {
        all.add(
            Finding.problem(
                SUBJECT,
                server.name() + " says the cluster's state is " + state,
                RedisExam.cli(server) + "cluster nodes"));
      }
    }
    coverage(told).ifPresent(all::add);
    told.stream()
        .filter(s -> "master".equals(s.info().get("role")) && replicas(s) == 0)
        .filter(s -> RedisExam.number(s, "cluster_slots_assigned") > 0)
        .map(
            s ->
                Finding.warning(
                    SUBJECT, s.name() + " has no replica to stand in for it", "add one"))
        .forEach(all::add);
    return all.isEmpty()
        ? List.of(Finding.ok(SUBJECT, "a cluster of " + told.size() + " servers, all slots served"))
        : all;
  }

  private static Optional<Finding> coverage(List<Server> servers) {
    return servers.stream()
        .filter(s -> "yes".equals(s.settings().get("cluster-require-full-coverage")))
        .findFirst()
        .map(
            s ->
                Finding.warning(
                    SUBJECT,
                    s.name() + " has cluster-require-full-coverage yes: a lost shard silences all",
                    "run redis-cli --cluster call "
                        + s.name()
                        + " config set cluster-require-full-coverage no"));
  }

  private long number(String field) {
    String text = view.master().getOrDefault(field, "");
    return text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
  }

  private static long replicas(Server server) {
    return RedisExam.number(server, "connected_slaves");
  }
}

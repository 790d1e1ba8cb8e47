package io.weir.cli.doctor;

import io.weir.redis.RedisDiagnostics;
import io.weir.redis.RedisDiagnostics.RedisServerDiagnostics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the replication and failover of a Redis store. */
record RedisReplicationCheck(RedisDiagnostics view) {
  private static final String SUBJECT = "replication";
  private static final int MIN_SENTINELS = 3;

  List<DoctorFinding> findings() {
    return switch (view.topology()) {
      case SINGLE -> List.of(singleServerFinding(view.servers().get(0)));
      case SENTINEL -> List.of(sentinelFinding());
      case CLUSTER -> clusterFindings();
    };
  }

  private static DoctorFinding singleServerFinding(RedisServerDiagnostics server) {
    if ("1".equals(server.info().get("cluster_enabled"))) {
      return DoctorFinding.problem(
          SUBJECT,
          server.name() + " is a node of a cluster",
          "use --store redis-cluster://" + server.name());
    }
    if (!"master".equals(server.info().get("role"))) {
      String master = server.info().get("master_host") + ":" + server.info().get("master_port");
      return DoctorFinding.problem(
          SUBJECT,
          server.name() + " is a replica, which rejects writes",
          "use --store redis://" + master + ", or redis-sentinel://");
    }
    return DoctorFinding.ok(
        SUBJECT, server.name() + " is a primary with " + replicaCount(server) + " replicas");
  }

  private DoctorFinding sentinelFinding() {
    long others = numericMasterField("num-other-sentinels");
    long quorum = numericMasterField("quorum");
    long replicas = numericMasterField("num-slaves");
    String text =
        "%d sentinels with a quorum of %d, and %d replicas".formatted(others + 1, quorum, replicas);
    if (view.sentinelMaster().getOrDefault("flags", "").contains("down")) {
      return DoctorFinding.problem(
          SUBJECT, text + "; they consider the primary down", "check the sentinels' logs");
    }
    if (others + 1 < quorum) {
      return DoctorFinding.problem(
          SUBJECT, text + ": no replica can be promoted", "start more sentinels");
    }
    if (replicas == 0) {
      return DoctorFinding.warning(
          SUBJECT, text + ": there is no replica to promote", "add a replica");
    }
    return others + 1 < MIN_SENTINELS
        ? DoctorFinding.warning(SUBJECT, text + ": no majority if one is lost", "run three or more")
        : DoctorFinding.ok(SUBJECT, text);
  }

  private List<DoctorFinding> clusterFindings() {
    List<RedisServerDiagnostics> readable =
        view.servers().stream().filter(s -> !s.info().isEmpty()).toList();
    List<DoctorFinding> all = new ArrayList<>();
    for (RedisServerDiagnostics server : readable) {
      String state = server.info().getOrDefault("cluster_state", "ok");
      if (!state.equals("ok")) {
        all.add(
            DoctorFinding.problem(
                SUBJECT,
                server.name() + " reports the cluster state " + state,
                RedisCheck.redisCliCommand(server) + "cluster nodes"));
      }
    }
    fullCoverageFinding(readable).ifPresent(all::add);
    readable.stream()
        .filter(s -> "master".equals(s.info().get("role")) && replicaCount(s) == 0)
        .filter(s -> RedisCheck.numericInfo(s, "cluster_slots_assigned") > 0)
        .map(s -> DoctorFinding.warning(SUBJECT, s.name() + " has no replica", "add one"))
        .forEach(all::add);
    return all.isEmpty()
        ? List.of(
            DoctorFinding.ok(
                SUBJECT, "a cluster of " + readable.size() + " servers, all slots served"))
        : all;
  }

  private static Optional<DoctorFinding> fullCoverageFinding(List<RedisServerDiagnostics> servers) {
    return servers.stream()
        .filter(s -> "yes".equals(s.settings().get("cluster-require-full-coverage")))
        .findFirst()
        .map(
            s ->
                DoctorFinding.warning(
                    SUBJECT,
                    s.name() + " has cluster-require-full-coverage yes: losing one shard stops all",
                    "run redis-cli --cluster call "
                        + s.name()
                        + " config set cluster-require-full-coverage no"));
  }

  private long numericMasterField(String field) {
    String text = view.sentinelMaster().getOrDefault(field, "");
    return text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
  }

  private static long replicaCount(RedisServerDiagnostics server) {
    return RedisCheck.numericInfo(server, "connected_slaves");
  }
}

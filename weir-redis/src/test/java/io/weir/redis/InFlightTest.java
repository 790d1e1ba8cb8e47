package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.FAULT_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.testkit.Await;
import io.weir.testkit.redis.FaultProxy;
import io.weir.testkit.redis.RedisCluster;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In-flight limits that several nodes share over a real Redis. */
class InFlightTest {
  private static final int LIMIT = 5;
  private static final Duration SHORT_LEASE = Duration.ofSeconds(2);
  private static final Request REQUEST = Request.of("user", "42");

  private static Rule rule(String id) {
    return Rule.named(id)
        .per("user")
        .inFlight(LIMIT)
        .onStoreFailure(StoreFailureFallback.CLOSED)
        .build();
  }

  /** A store and its limiter. */
  private record TestNode(RedisStore store, Limiter limiter) implements AutoCloseable {
    static TestNode open(RedisStore.Builder builder, Rule... rules) {
      RedisStore store = openAndAwait(builder);
      return new TestNode(store, Weir.limiter(io.weir.rule.RuleSet.of(rules)).store(store).build());
    }

    /** Waits until the store has got the releases of this node. */
    void awaitReports(Request request) {
      assertThat(limiter.peek(request).join().degraded()).isFalse();
    }

    @Override
    public void close() {
      limiter.close();
      store.close();
    }
  }

  private static long free(TestNode node) {
    return node.limiter().peek(REQUEST).join().remaining();
  }

  private static List<Limiter.Permit> acquireAll(TestNode node, int attempts) {
    List<Limiter.Permit> admitted = new ArrayList<>();
    for (int i = 0; i < attempts; i++) {
      Limiter.Permit permit = node.limiter().acquire(REQUEST);
      assertThat(permit.decision().degraded()).isFalse();
      if (permit.allowed()) {
        admitted.add(permit);
      }
    }
    return admitted;
  }

  @ParameterizedTest(name = "packed buckets: {0}")
  @ValueSource(ints = {0, 64})
  void randomHistoryOfThreeNodes_admitsExactlyWhatTheModelAdmits(int packedBuckets) {
    long seed = Long.getLong("weir.seed", System.nanoTime());
    System.out.println("InFlightTest weir.seed=" + seed);
    Random random = new Random(seed);
    Rule inFlight = rule("in-flight");
    Rule both =
        Rule.named("both")
            .per("tenant")
            .limit("300/hour")
            .inFlight(7)
            .onStoreFailure(StoreFailureFallback.CLOSED)
            .build();
    int refused = 0;
    try (RedisProcess redis = RedisProcess.start()) {
      List<TestNode> nodes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        RedisStore.Builder builder =
            RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).packedBuckets(packedBuckets);
        nodes.add(TestNode.open(builder, inFlight, both));
      }
      List<Limiter.Permit> held = new ArrayList<>();
      List<Integer> holders = new ArrayList<>();
      List<Integer> users = new ArrayList<>();
      int tenantLeft = 300;
      int[] perUser = new int[3];
      for (int step = 0; step < 2000; step++) {
        if (random.nextInt(100) < 55) {
          int node = random.nextInt(3);
          int user = random.nextInt(3);
          Request request = Request.of("user", "u" + user, "tenant", "one");
          Limiter.Permit permit = nodes.get(node).limiter().acquire(request);
          boolean expected = perUser[user] < LIMIT && held.size() < 7 && tenantLeft > 0;
          assertThat(permit.allowed())
              .as("step %d: %s", step, permit.decision().rules())
              .isEqualTo(expected);
          if (expected) {
            held.add(permit);
            holders.add(node);
            users.add(user);
            perUser[user]++;
            tenantLeft--;
          } else {
            refused++;
          }
        } else if (!held.isEmpty()) {
          int which = random.nextInt(held.size());
          Limiter.Permit permit = held.remove(which);
          int user = users.remove(which);
          int node = holders.remove(which);
          perUser[user]--;
          assertThat(permit.release()).isTrue();
          assertThat(permit.release()).isFalse();
          nodes.get(node).awaitReports(Request.of("user", "u" + user, "tenant", "one"));
        }
      }
      nodes.forEach(TestNode::close);
    }
    assertThat(refused).isPositive();
  }

  @Test
  void concurrentLoadOnThreeNodes_reachesTheLimitAndNeverExceedsIt() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      List<TestNode> nodes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        nodes.add(
            TestNode.open(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE), rule("shared")));
      }
      AtomicInteger running = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      AtomicInteger admitted = new AtomicInteger();
      ExecutorService pool = Executors.newFixedThreadPool(24);
      List<Future<?>> tasks = new ArrayList<>();
      for (int t = 0; t < 24; t++) {
        Limiter limiter = nodes.get(t % 3).limiter();
        tasks.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < 1500; i++) {
                    try (Limiter.Permit permit = limiter.acquire(REQUEST)) {
                      if (permit.allowed()) {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        admitted.incrementAndGet();
                        limiter.peek(REQUEST).join(); // runs for a round trip
                        running.decrementAndGet();
                      }
                    }
                  }
                }));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
      pool.shutdown();
      assertThat(most.get()).isEqualTo(LIMIT);
      assertThat(admitted.get()).isGreaterThan(1000);
      Await.until(AWAIT_TIMEOUT, "all slots free", () -> free(nodes.get(0)) == LIMIT);
      nodes.forEach(
          node -> assertThat(node.store().heldSlots().getOrDefault("shared", 0L)).isZero());
      nodes.forEach(TestNode::close);
    }
  }

  @Test
  void nodeCutOffBeyondItsLease_losesItsSlotsAndAnnouncesThemBeforeItTakesMore() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to(redis.port());
        TestNode cut =
            TestNode.open(
                RedisStore.at("redis://127.0.0.1:" + proxy.port())
                    .deadline(FAULT_DEADLINE)
                    .nodeLease(SHORT_LEASE),
                rule("shared"));
        TestNode other =
            TestNode.open(
                RedisStore.at(redis.uri()).deadline(LONG_DEADLINE).nodeLease(SHORT_LEASE),
                rule("shared"))) {
      List<Limiter.Permit> ofCut = acquireAll(cut, LIMIT + 1);
      assertThat(ofCut).hasSize(LIMIT);
      Await.sleep(SHORT_LEASE.plusSeconds(1));
      assertThat(free(other)).as("a live node renews its lease").isZero();

      proxy.refuseConnections(true);
      Duration until =
          Await.until(AWAIT_TIMEOUT, "the lease has ended", () -> free(other) == LIMIT);
      assertThat(until).isLessThan(SHORT_LEASE.plusSeconds(1));
      List<Limiter.Permit> ofOther = acquireAll(other, LIMIT);
      assertThat(ofOther).hasSize(LIMIT);
      assertThat(cut.limiter().acquire(REQUEST).allowed()).isFalse();

      proxy.refuseConnections(false);
      Await.until(
          AWAIT_TIMEOUT,
          "the node is back",
          () -> !cut.limiter().acquire(REQUEST).decision().degraded());
      ofOther.forEach(Limiter.Permit::release);
      other.awaitReports(REQUEST);
      assertThat(acquireAll(other, 1)).as("the slots of the node that is back count").isEmpty();
      assertThat(acquireAll(cut, 1)).isEmpty();
      ofCut.forEach(Limiter.Permit::release);
      cut.awaitReports(REQUEST);
      assertThat(free(other)).isEqualTo(LIMIT);
    }
  }

  @Test
  void frozenRedis_leavesNoSlotOfRequestsThatWereAnsweredByTheFallback() {
    try (RedisProcess redis = RedisProcess.start();
        TestNode node =
            TestNode.open(
                RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE).nodeLease(SHORT_LEASE),
                rule("shared"))) {
      List<Limiter.Permit> held = acquireAll(node, 2);
      redis.freeze();
      for (int i = 0; i < 3; i++) {
        Limiter.Permit permit = node.limiter().acquire(REQUEST);
        assertThat(permit.allowed()).isFalse();
        assertThat(permit.isHeld()).isFalse();
      }
      redis.thaw();
      Await.until(AWAIT_TIMEOUT, "only real slots", () -> free(node) == LIMIT - 2);
      held.forEach(Limiter.Permit::close);
      Await.until(AWAIT_TIMEOUT, "no slots", () -> free(node) == LIMIT);
    }
  }

  @Test
  void emptyRestartOfRedis_restoresTheSlotsThatAreStillHeld() {
    try (RedisProcess redis = RedisProcess.start();
        TestNode node =
            TestNode.open(
                RedisStore.at(redis.uri()).deadline(FAULT_DEADLINE).nodeLease(SHORT_LEASE),
                rule("shared"))) {
      List<Limiter.Permit> held = acquireAll(node, LIMIT);
      redis.restart();
      Await.until(
          AWAIT_TIMEOUT, "answers", () -> !node.limiter().acquire(REQUEST).decision().degraded());
      assertThat(node.limiter().acquire(REQUEST).allowed()).isFalse();
      assertThat(held).hasSize(LIMIT).allMatch(Limiter.Permit::release);
    }
  }

  @Test
  void cluster_isExactOverShardsAndLeavesNoSlotOfARefusedRequest() throws Exception {
    Rule perUser = rule("per-user");
    Rule perTenant =
        Rule.named("per-tenant")
            .per("tenant")
            .inFlight(3)
            .onStoreFailure(StoreFailureFallback.CLOSED)
            .build();
    try (RedisCluster cluster = RedisCluster.start();
        TestNode one =
            TestNode.open(
                RedisStore.at(cluster.uri()).deadline(LONG_DEADLINE), perUser, perTenant);
        TestNode two =
            TestNode.open(
                RedisStore.at(cluster.uri()).deadline(LONG_DEADLINE), perUser, perTenant)) {
      Request both = Request.of("user", "42", "tenant", "t");
      List<Limiter.Permit> held = Collections.synchronizedList(new ArrayList<>());
      AtomicBoolean degraded = new AtomicBoolean();
      for (int i = 0; i < 30; i++) {
        Limiter.Permit permit = (i % 2 == 0 ? one : two).limiter().acquire(both);
        degraded.compareAndSet(false, permit.decision().degraded());
        if (permit.allowed()) {
          held.add(permit);
        }
      }
      assertThat(degraded).isFalse();
      assertThat(held).hasSize(3);
      Await.until(
          AWAIT_TIMEOUT,
          "only the slots of admitted requests",
          () -> one.limiter().peek(REQUEST).join().remaining() == LIMIT - 3);
      held.forEach(Limiter.Permit::close);
      Await.until(
          AWAIT_TIMEOUT,
          "all slots free",
          () -> two.limiter().peek(REQUEST).join().remaining() == LIMIT);
    }
  }

  @Test
  void slotHeldTooLong_isFreeAgain() {
    Rule rule = rule("short").edit().heldAtMost(Duration.ofMillis(300)).build();
    try (RedisProcess redis = RedisProcess.start();
        TestNode node = TestNode.open(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE), rule)) {
      long begin = Clock.system().micros();
      List<Limiter.Permit> forgotten = acquireAll(node, LIMIT);
      Await.until(AWAIT_TIMEOUT, "slots free", () -> free(node) == LIMIT);
      assertThat(Clock.system().micros() - begin).isGreaterThanOrEqualTo(300_000);
      assertThat(forgotten).hasSize(LIMIT).noneMatch(Limiter.Permit::release);
      assertThat(free(node)).isEqualTo(LIMIT);
    }
  }
}

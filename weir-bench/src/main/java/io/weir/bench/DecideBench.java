package io.weir.bench;

import io.github.bucket4j.Bucket;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.store.MemoryStore;
import io.weir.store.Clock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A whole decision with 100 rules of which two match the request, compared with two Bucket4j
 * buckets that are looked up by precomputed keys in a map and consumed one after the other: no
 * rules, not atomic. Run with {@code ./bench core}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class DecideBench {
  static final String[] CANDIDATES = {"weir", "chm-bucket4j"};
  private static final int RULES = 100;

  @Param({"weir", "chm-bucket4j"})
  public String candidate;

  @Param({"1000000", "1000"})
  public int users;

  private IntPredicate decider;
  private int[] sequence;

  @Setup
  public void setup() {
    decider = candidate.equals("weir") ? weir() : bucket4j();
    expectAllowed();
    sequence = BenchmarkKeys.uniformSequence(users);
  }

  @TearDown
  public void expectAllowed() {
    for (int user = 0; user < users; user++) {
      if (!decider.test(user)) {
        throw new IllegalStateException("user " + user + " is refused");
      }
    }
  }

  private IntPredicate weir() {
    RestApiWorkload resources = new RestApiWorkload(RULES);
    Request[] requests = resources.requests(users, RULES - 1);
    Limiter limiter =
        Weir.limiter(resources.rules()).store(new MemoryStore(Clock.system(), 512 << 20)).build();
    return user -> limiter.decide(requests[user]).join().allowed();
  }

  private IntPredicate bucket4j() {
    ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
    String[] everything = new String[users];
    String[] resource = new String[users];
    for (int user = 0; user < users; user++) {
      buckets.put(everything(user), bucket());
      buckets.put(resource(user), bucket());
      everything[user] = everything(user);
      resource[user] = resource(user);
    }
    return user -> consume(buckets, resource[user]) && consume(buckets, everything[user]);
  }

  private static String everything(int user) {
    return "everything:" + BenchmarkKeys.userKey(user);
  }

  private static String resource(int user) {
    return "resource-" + user % (RULES - 1) + ":" + BenchmarkKeys.userKey(user);
  }

  private static Bucket bucket() {
    return Bucket.builder().addLimit(KeyedLimiter.bandwidth()).build();
  }

  private static boolean consume(ConcurrentHashMap<String, Bucket> buckets, String key) {
    Bucket bucket = buckets.get(key);
    return bucket != null && bucket.tryConsume(1);
  }

  @Benchmark
  public boolean decide(SequenceCursor cursor) {
    return decider.test(cursor.next(sequence));
  }
}

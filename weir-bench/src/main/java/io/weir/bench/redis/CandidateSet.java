package io.weir.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.weir.redis.RedisStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The candidates of one scenario with one quota, each with a separate Redis and connection: state
 * left by one candidate would slow down others on the same server.
 */
final class CandidateSet implements AutoCloseable {
  static final String WEIR = "weir";
  static final String WEIR_SMALL = "weir-small";
  static final String WEIR_TWO_RULES = "weir-two-rules";
  static final String WEIR_TWO_NODES = "weir-two-nodes";
  static final String SCRIPT = "script";
  static final String BUCKET4J = "bucket4j";
  static final String BATCHING = "bucket4j-batching";
  static final String REDISSON = "redisson";
  static final String REDISSON_FORGETTING = "redisson-forgetting";
  static final String INCR = "incr";
  static final String NO_OP = "no-op";

  private static final RedisCodec<String, byte[]> BYTES =
      RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);
  private static final int SMALL_PACKED_BUCKETS = 1 << 18;

  private final Duration deadline;
  private final RedisClient lettuce = RedisClient.create();
  private final Map<String, MeasuredRedis> servers = new LinkedHashMap<>();
  private final Map<String, LimiterCandidate> candidates = new LinkedHashMap<>();

  /** Opens the candidates, each on an empty Redis. */
  CandidateSet(BucketQuota quota, Duration deadline, List<String> names) {
    this.deadline = deadline;
    for (String name : names) {
      servers.put(name, new MeasuredRedis());
      candidates.put(name, openAnother(name, quota));
    }
  }

  LimiterCandidate candidate(String name) {
    return Objects.requireNonNull(candidates.get(name));
  }

  /** Returns the Redis of a candidate. */
  MeasuredRedis server(String name) {
    return Objects.requireNonNull(servers.get(name));
  }

  /** Opens another instance of a candidate on its Redis, with another quota. */
  LimiterCandidate openAnother(String name, BucketQuota otherQuota) {
    return open(name, server(name).uri(), otherQuota);
  }

  private LimiterCandidate open(String name, String uri, BucketQuota quota) {
    return switch (name) {
      case WEIR -> new WeirCandidate(store(uri).open(), quota, "api");
      case WEIR_SMALL ->
          new WeirCandidate(store(uri).packedBuckets(SMALL_PACKED_BUCKETS).open(), quota, "api");
      case WEIR_TWO_RULES -> new WeirCandidate(store(uri).open(), quota, "api", "search");
      case WEIR_TWO_NODES ->
          new AlternatingCandidate(open(WEIR, uri, quota), open(WEIR, uri, quota));
      case SCRIPT -> LettuceCandidate.script(connect(uri, StringCodec.UTF8), quota);
      case BUCKET4J -> Bucket4jCandidate.plain(connect(uri, BYTES), quota);
      case BATCHING -> Bucket4jCandidate.batching(connect(uri, BYTES), quota);
      case REDISSON -> RedissonCandidate.prepared(uri, quota);
      case REDISSON_FORGETTING -> RedissonCandidate.forgetting(uri, quota);
      case INCR -> LettuceCandidate.incr(connect(uri, StringCodec.UTF8));
      case NO_OP -> LettuceCandidate.noOp(connect(uri, StringCodec.UTF8));
      default -> throw new IllegalArgumentException("unknown candidate: " + name);
    };
  }

  private RedisStore.Builder store(String uri) {
    return RedisStore.at(uri).deadline(deadline);
  }

  private <V> StatefulRedisConnection<String, V> connect(String uri, RedisCodec<String, V> codec) {
    return lettuce.connect(codec, RedisURI.create(uri));
  }

  @Override
  public void close() {
    candidates.values().forEach(LimiterCandidate::close);
    servers.values().forEach(MeasuredRedis::close);
    lettuce.shutdown(0, 1, TimeUnit.SECONDS);
  }
}

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

/** The candidates of one scenario under one quota, each with a database and a connection. */
final class Lineup implements AutoCloseable {
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
  private static final int SMALL_PAGE_BYTES = 2;

  private final Server server;
  private final Duration deadline;
  private final RedisClient lettuce = RedisClient.create();
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();

  /** Opens them on an empty Redis. */
  Lineup(Server server, Quota quota, Duration deadline, List<String> names) {
    this.server = server;
    this.deadline = deadline;
    server.flush();
    for (String name : names) {
      candidates.put(name, open(name, candidates.size(), quota));
    }
  }

  Candidate candidate(String name) {
    return Objects.requireNonNull(candidates.get(name));
  }

  /** Opens a candidate once more, on the same database, for callers with another quota. */
  Candidate another(String name, Quota theirs) {
    return open(name, List.copyOf(candidates.keySet()).indexOf(name), theirs);
  }

  private Candidate open(String name, int database, Quota quota) {
    return switch (name) {
      case WEIR -> new WeirCandidate(store(database).open(), quota, "api");
      case WEIR_SMALL ->
          new WeirCandidate(store(database).pageBytes(SMALL_PAGE_BYTES).open(), quota, "api");
      case WEIR_TWO_RULES -> new WeirCandidate(store(database).open(), quota, "api", "search");
      case WEIR_TWO_NODES -> new InTurn(open(WEIR, database, quota), open(WEIR, database, quota));
      case SCRIPT -> LettuceCandidate.script(connect(database, StringCodec.UTF8), quota);
      case BUCKET4J -> Bucket4jCandidate.plain(connect(database, BYTES), quota);
      case BATCHING -> Bucket4jCandidate.batching(connect(database, BYTES), quota);
      case REDISSON -> RedissonCandidate.prepared(server.uri(), database, quota);
      case REDISSON_FORGETTING -> RedissonCandidate.forgetting(server.uri(), database, quota);
      case INCR -> LettuceCandidate.incr(connect(database, StringCodec.UTF8));
      case NO_OP -> LettuceCandidate.noOp(connect(database, StringCodec.UTF8));
      default -> throw new IllegalArgumentException("no candidate is called " + name);
    };
  }

  private RedisStore.Builder store(int database) {
    return RedisStore.at(server.uri(database)).deadline(deadline);
  }

  private <V> StatefulRedisConnection<String, V> connect(
      int database, RedisCodec<String, V> codec) {
    return lettuce.connect(codec, RedisURI.create(server.uri(database)));
  }

  @Override
  public void close() {
    candidates.values().forEach(Candidate::close);
    lettuce.shutdown(0, 1, TimeUnit.SECONDS);
  }
}

package io.weir.bench.redis;

import static io.lettuce.core.ScriptOutputType.INTEGER;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongPredicate;

/** One Lettuce command per request: the baselines, and the common token bucket script. */
final class LettuceCandidate implements LimiterCandidate {
  private final StatefulRedisConnection<String, String> connection;
  private final Function<String, CompletionStage<Long>> command;
  private final LongPredicate allowedTest;

  private LettuceCandidate(
      StatefulRedisConnection<String, String> connection,
      Function<String, CompletionStage<Long>> command,
      LongPredicate yes) {
    this.connection = connection;
    this.command = command;
    this.allowedTest = yes;
  }

  /** INCR, the cheapest way to count: a baseline, not a limiter. */
  static LimiterCandidate incr(StatefulRedisConnection<String, String> connection) {
    RedisAsyncCommands<String, String> redis = connection.async();
    return new LettuceCandidate(connection, redis::incr, count -> count > 0);
  }

  /** A script that does nothing: a baseline, not a limiter. */
  static LimiterCandidate noOp(StatefulRedisConnection<String, String> connection) {
    RedisAsyncCommands<String, String> redis = connection.async();
    String sha = connection.sync().scriptLoad(LuaScripts.load("no-op"));
    return new LettuceCandidate(
        connection,
        caller -> redis.evalsha(sha, INTEGER, new String[] {caller}),
        answer -> answer == 1);
  }

  /** The hand-written token bucket. */
  static LimiterCandidate script(
      StatefulRedisConnection<String, String> connection, BucketQuota quota) {
    RedisAsyncCommands<String, String> redis = connection.async();
    String sha = connection.sync().scriptLoad(LuaScripts.load("token-bucket"));
    String permits = Long.toString(quota.permits());
    String period = Long.toString(quota.period().toMillis());
    return new LettuceCandidate(
        connection,
        caller ->
            redis.evalsha(
                sha,
                INTEGER,
                new String[] {caller},
                permits,
                period,
                Long.toString(System.currentTimeMillis())),
        answer -> answer == 1);
  }

  @Override
  public CompletionStage<?> decide(String caller) {
    return command.apply(caller);
  }

  @Override
  public boolean isAllowed(Object answer) {
    return allowedTest.test((Long) answer);
  }

  @Override
  public void close() {
    connection.close();
  }
}

package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One call of the script on a shard; sends the script along if the server does not know it. */
final class ScriptCall {
  private final RedisConnector.DriverConnection connection;
  private final byte[] shardKey;
  private final byte[][] arguments;

  ScriptCall(RedisConnector.DriverConnection connection, byte[] shardKey, byte[][] arguments) {
    this.connection = connection;
    this.shardKey = shardKey;
    this.arguments = arguments;
  }

  /**
   * Runs the script.
   *
   * @param asFunction whether the server has the script as a function
   * @param callback called with the reply, or with the reason for the failure
   */
  void run(boolean asFunction, BiConsumer<byte @Nullable [], @Nullable Throwable> callback) {
    DecisionScript script = DecisionScript.INSTANCE;
    CompletionStage<byte[]> replyStage =
        asFunction
            ? send(CommandType.FCALL, script.functionName.getBytes(US_ASCII))
            : send(CommandType.EVALSHA, script.scriptSha);
    replyStage.whenComplete(
        (reply, failure) -> {
          if (failure != null && RedisFailures.isUnknownScript(failure)) {
            resendWithScript(asFunction, callback);
          } else {
            callback.accept(reply, failure);
          }
        });
  }

  /** Sends the call again with the script; safe, since the server has not executed anything yet. */
  private void resendWithScript(
      boolean asFunction, BiConsumer<byte @Nullable [], @Nullable Throwable> callback) {
    if (asFunction) {
      var unused = connection.loadLibrary(DecisionScript.INSTANCE.librarySource);
    }
    send(CommandType.EVAL, DecisionScript.INSTANCE.scriptSource).whenComplete(callback);
  }

  private CompletionStage<byte[]> send(CommandType command, byte[] script) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(script).add(1).addKey(shardKey);
    for (byte[] argument : arguments) {
      args.add(argument);
    }
    try {
      return connection
          .commands()
          .dispatch(command, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), args);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}

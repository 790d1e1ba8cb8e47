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

/** One run of the script on a shelf; a server that has forgotten the script is brought it along. */
final class ScriptCall {
  private final RedisConnector.DriverConnection connection;
  private final byte[] shardKey;
  private final byte[][] arguments;

  ScriptCall(RedisConnector.DriverConnection to, byte[] shelf, byte[][] arguments) {
    this.connection = to;
    this.shardKey = shelf;
    this.arguments = arguments;
  }

  /**
   * Runs it.
   *
   * @param asFunction whether the server has it as a function
   * @param then hears the answer, or why there is none
   */
  void run(boolean asFunction, BiConsumer<byte @Nullable [], @Nullable Throwable> then) {
    DecisionScript script = DecisionScript.INSTANCE;
    CompletionStage<byte[]> answer =
        asFunction
            ? send(CommandType.FCALL, script.functionName.getBytes(US_ASCII))
            : send(CommandType.EVALSHA, script.scriptSha);
    answer.whenComplete(
        (reply, failure) -> {
          if (failure != null && RedisFailures.isUnknownScript(failure)) {
            resendWithScript(asFunction, then);
          } else {
            then.accept(reply, failure);
          }
        });
  }

  /** Nothing was done yet, so it may be sent once more. */
  private void resendWithScript(
      boolean asFunction, BiConsumer<byte @Nullable [], @Nullable Throwable> then) {
    if (asFunction) {
      var unused = connection.loadLibrary(DecisionScript.INSTANCE.librarySource);
    }
    send(CommandType.EVAL, DecisionScript.INSTANCE.scriptSource).whenComplete(then);
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

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
  private final Route.Wire to;
  private final byte[] shelf;
  private final byte[][] arguments;

  ScriptCall(Route.Wire to, byte[] shelf, byte[][] arguments) {
    this.to = to;
    this.shelf = shelf;
    this.arguments = arguments;
  }

  /**
   * Runs it.
   *
   * @param asFunction whether the server has it as a function
   * @param then hears the answer, or why there is none
   */
  void run(boolean asFunction, BiConsumer<byte @Nullable [], @Nullable Throwable> then) {
    Script script = Script.WEIR;
    CompletionStage<byte[]> answer =
        asFunction
            ? send(CommandType.FCALL, script.name.getBytes(US_ASCII))
            : send(CommandType.EVALSHA, script.sha);
    answer.whenComplete(
        (reply, failure) -> {
          if (failure != null && Trouble.isUnknownScript(failure)) {
            again(asFunction, then);
          } else {
            then.accept(reply, failure);
          }
        });
  }

  /** Nothing was done yet, so it may be sent once more. */
  private void again(boolean asFunction, BiConsumer<byte @Nullable [], @Nullable Throwable> then) {
    if (asFunction) {
      var unused = to.load(Script.WEIR.library);
    }
    send(CommandType.EVAL, Script.WEIR.text).whenComplete(then);
  }

  private CompletionStage<byte[]> send(CommandType command, byte[] script) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(script).add(1).addKey(shelf);
    for (byte[] argument : arguments) {
      args.add(argument);
    }
    try {
      return to.commands().dispatch(command, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), args);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}

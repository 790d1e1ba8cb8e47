package io.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.weir.store.StoreException;
import io.weir.store.StoreException.StoreFailureKind;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

/** What the driver's failures mean. */
final class RedisFailures {
  /** What an error may be: text, as people read it. */
  private static final Pattern PRINTABLE_TEXT = Pattern.compile("[ -~]+");

  private RedisFailures() {}

  /** Whether the server said that it does not know the script, and so has not begun it. */
  static boolean isUnknownScript(Throwable failure) {
    String text = messageOf(rootCause(failure));
    return text.startsWith("NOSCRIPT") || text.contains("Function not found");
  }

  /** Whether the server may not be written to any more. */
  static boolean isReadOnlyReplica(Throwable failure) {
    Throwable cause = rootCause(failure);
    return cause instanceof RedisCommandExecutionException && messageOf(cause).contains("READONLY");
  }

  /** Whether what came cannot be an answer to what was asked, so that nothing after it can be. */
  static boolean isGarbled(Throwable failure) {
    Throwable cause = rootCause(failure);
    if (cause instanceof RedisCommandExecutionException) {
      return !PRINTABLE_TEXT.matcher(messageOf(cause)).matches();
    }
    return !(cause instanceof RedisException
        || cause instanceof IOException
        || cause instanceof CancellationException
        || cause instanceof RejectedExecutionException);
  }

  /** Whether nothing came for too long. */
  static boolean isTimeout(Throwable failure) {
    return rootCause(failure) instanceof RedisCommandTimeoutException;
  }

  /** Whether the driver has lost the reason: a connection was refused before it came to look. */
  static boolean isReasonLost(Throwable failure) {
    return messageOf(rootCause(failure)).equals("RedisHandshakeHandler not registered");
  }

  /** Why a call was not answered. */
  static StoreException toStoreException(Throwable failure) {
    Throwable cause = rootCause(failure);
    if (isGarbled(failure)) {
      return new StoreException(StoreFailureKind.GARBLED, "its answer cannot be read");
    }
    if (cause instanceof RedisCommandExecutionException) {
      return new StoreException(StoreFailureKind.ERROR, messageOf(cause));
    }
    if (isTimeout(failure)) {
      return new StoreException(StoreFailureKind.TIMEOUT, "it has fallen silent");
    }
    boolean broke = cause instanceof CancellationException;
    return new StoreException(
        StoreFailureKind.UNREACHABLE, broke ? "the connection broke" : messageOf(cause));
  }

  /** Why there is no connection, and what to do about it. */
  static String describeConnectFailure(Throwable failure) {
    Throwable cause = rootCause(failure);
    String text = messageOf(cause);
    if (text.startsWith("NOAUTH")) { // and how to write HELLO, which is not for people
      return "it wants a password; write redis://user:password@host:port";
    }
    if (text.startsWith("WRONGPASS") || text.contains("AUTH failed")) {
      return "the user or password is wrong (" + text + "); write redis://user:password@host:port";
    }
    if (text.startsWith("NOPERM")) {
      return "the user may not run scripts (" + text + "); allow it +@scripting +@read +@write";
    }
    if (text.startsWith("ERR unknown command")) {
      return "the server has no scripting (" + text + "); Weir needs Redis 5 or newer, or Valkey";
    }
    if (cause instanceof NullPointerException) { // the driver's, on a greeting it cannot read
      return "cannot be reached (its greeting cannot be read)";
    }
    return "cannot be reached (" + text + ")";
  }

  private static Throwable rootCause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static String messageOf(Throwable cause) {
    return String.valueOf(cause.getMessage());
  }
}

package io.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.weir.internal.store.StoreException;
import io.weir.store.StoreFailureKind;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

/** Classifies and describes the failures of the Redis driver. */
final class RedisFailures {
  /** The text of a valid error reply: printable ASCII. */
  private static final Pattern PRINTABLE_TEXT = Pattern.compile("[ -~]+");

  private RedisFailures() {}

  /** Returns whether the server does not know the script, and so has not executed it. */
  static boolean isUnknownScript(Throwable failure) {
    String text = messageOf(rootCause(failure));
    return text.startsWith("NOSCRIPT") || text.contains("Function not found");
  }

  /** Returns whether the server has become a read-only replica. */
  static boolean isReadOnlyReplica(Throwable failure) {
    Throwable cause = rootCause(failure);
    return cause instanceof RedisCommandExecutionException && messageOf(cause).contains("READONLY");
  }

  /**
   * Returns whether the reply cannot belong to the request, so that no later reply on the
   * connection can be trusted.
   */
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

  /** Returns whether no reply came in time. */
  static boolean isTimeout(Throwable failure) {
    return rootCause(failure) instanceof RedisCommandTimeoutException;
  }

  /**
   * Returns whether the driver lost the reason: the connection was refused before the driver had
   * registered its handshake handler.
   */
  static boolean isReasonLost(Throwable failure) {
    return messageOf(rootCause(failure)).equals("RedisHandshakeHandler not registered");
  }

  /** Describes why a call failed. */
  static StoreException toStoreException(Throwable failure) {
    Throwable cause = rootCause(failure);
    if (isGarbled(failure)) {
      return new StoreException(StoreFailureKind.GARBLED, "the reply cannot be read");
    }
    if (cause instanceof RedisCommandExecutionException) {
      return new StoreException(StoreFailureKind.ERROR, messageOf(cause));
    }
    if (isTimeout(failure)) {
      return new StoreException(StoreFailureKind.TIMEOUT, "no reply in time");
    }
    boolean lost = cause instanceof CancellationException;
    return new StoreException(
        StoreFailureKind.UNREACHABLE, lost ? "the connection was lost" : messageOf(cause));
  }

  /** Describes why connecting failed, and what to do about it. */
  static String describeConnectFailure(Throwable failure) {
    Throwable cause = rootCause(failure);
    String text = messageOf(cause);
    if (text.startsWith("NOAUTH")) { // the rest of the text is about the HELLO command
      return "requires a password, for example redis://user:password@host:port";
    }
    if (text.startsWith("WRONGPASS") || text.contains("AUTH failed")) {
      return "rejects the user or password ("
          + text
          + "); set it as in redis://user:password@host:port";
    }
    if (text.startsWith("NOPERM")) {
      return "does not permit the user to run scripts ("
          + text
          + "); grant +@scripting +@read +@write";
    }
    if (text.startsWith("ERR unknown command")) {
      return "has no scripting (" + text + "); Weir needs Redis 5 or newer, or Valkey";
    }
    if (cause instanceof NullPointerException) { // thrown by the driver on an unreadable greeting
      return "cannot be reached (unreadable greeting)";
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

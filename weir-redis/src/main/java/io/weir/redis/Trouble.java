package io.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

/** What the driver's failures mean. */
final class Trouble {
  /** What an error may be: text, as people read it. */
  private static final Pattern ERROR = Pattern.compile("[ -~]+");

  private Trouble() {}

  /** Whether the server said that it does not know the script, and so has not begun it. */
  static boolean isUnknownScript(Throwable failure) {
    String text = text(root(failure));
    return text.startsWith("NOSCRIPT") || text.contains("Function not found");
  }

  /** Whether the server may not be written to any more. */
  static boolean isReplica(Throwable failure) {
    Throwable cause = root(failure);
    return cause instanceof RedisCommandExecutionException && text(cause).contains("READONLY");
  }

  /** Whether what came cannot be an answer to what was asked, so that nothing after it can be. */
  static boolean isGarbled(Throwable failure) {
    Throwable cause = root(failure);
    if (cause instanceof RedisCommandExecutionException) {
      return !ERROR.matcher(text(cause)).matches();
    }
    return !(cause instanceof RedisException
        || cause instanceof IOException
        || cause instanceof CancellationException
        || cause instanceof RejectedExecutionException);
  }

  /** Whether nothing came for too long. */
  static boolean isSilence(Throwable failure) {
    return root(failure) instanceof RedisCommandTimeoutException;
  }

  /** Whether the driver has lost the reason: a connection was refused before it came to look. */
  static boolean isUntold(Throwable failure) {
    return text(root(failure)).equals("RedisHandshakeHandler not registered");
  }

  /** Why a call was not answered. */
  static StoreException ofCall(Throwable failure) {
    Throwable cause = root(failure);
    if (isGarbled(failure)) {
      return new StoreException(Kind.GARBLED, "its answer cannot be read");
    }
    if (cause instanceof RedisCommandExecutionException) {
      return new StoreException(Kind.ERROR, text(cause));
    }
    if (isSilence(failure)) {
      return new StoreException(Kind.TIMEOUT, "it has fallen silent");
    }
    boolean broke = cause instanceof CancellationException;
    return new StoreException(Kind.UNREACHABLE, broke ? "the connection broke" : text(cause));
  }

  /** Why there is no connection, and what to do about it. */
  static String ofConnection(Throwable failure) {
    Throwable cause = root(failure);
    String text = text(cause);
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

  private static Throwable root(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static String text(Throwable cause) {
    return String.valueOf(cause.getMessage());
  }
}

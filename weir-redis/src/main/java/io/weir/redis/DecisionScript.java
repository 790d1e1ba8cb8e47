package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.store.ClaimEvaluator;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The Lua script that decides inside the server, assembled from the files of the algorithms, the
 * decision and the shard.
 *
 * <p>Its name contains a hash of its contents, so that nodes of different versions never run each
 * other's script.
 */
final class DecisionScript {
  static final DecisionScript INSTANCE = new DecisionScript();

  /** The name of the function, and of the library that holds it. */
  final String functionName;

  /** The source of the function library, for servers with functions (Redis 7 or newer). */
  final byte[] librarySource;

  /** The source of the script, for servers without functions. */
  final byte[] scriptSource;

  /** The SHA-1 by which the server identifies the script. */
  final byte[] scriptSha;

  private DecisionScript() {
    String body =
        Algorithms.lua()
            + readResource(ClaimEvaluator.class, "decide.lua")
            + readResource(DecisionScript.class, "state.lua")
            + readResource(DecisionScript.class, "packed-bucket.lua")
            + readResource(DecisionScript.class, "shard.lua");
    scriptSource =
        readResource(DecisionScript.class, "as-script.lua")
            .replace("{{body}}", body)
            .getBytes(UTF_8);
    String digest = sha1Hex(scriptSource);
    scriptSha = digest.getBytes(UTF_8);
    functionName = "weir_" + digest.substring(0, 16);
    librarySource =
        readResource(DecisionScript.class, "as-function.lua")
            .replace("{{name}}", functionName)
            .replace("{{body}}", body)
            .getBytes(UTF_8);
  }

  static String sha1Hex(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }

  static String readResource(Class<?> sibling, String file) {
    try (InputStream in = sibling.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing beside " + sibling.getName());
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

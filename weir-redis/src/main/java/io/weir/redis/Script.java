package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.algorithm.Algorithms;
import io.weir.store.Decide;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The Lua that decides inside the server, put together from the algorithms' own files.
 *
 * <p>Its name is made of its contents, so that nodes of different versions never run each other's.
 */
final class Script {
  static final Script WEIR = new Script();

  /** The name of the function, and of the library that holds it. */
  final String name;

  /** As a library of functions, for servers that have them. */
  final byte[] library;

  /** As a script. */
  final byte[] text;

  /** How the server names the script. */
  final byte[] sha;

  private Script() {
    String body =
        Algorithms.lua()
            + resource(Decide.class, "decide.lua")
            + resource(Script.class, "state.lua")
            + resource(Script.class, "page.lua")
            + resource(Script.class, "shelf.lua");
    text = resource(Script.class, "as-script.lua").replace("{{body}}", body).getBytes(UTF_8);
    String digest = sha1(text);
    sha = digest.getBytes(UTF_8);
    name = "weir_" + digest.substring(0, 16);
    library =
        resource(Script.class, "as-function.lua")
            .replace("{{name}}", name)
            .replace("{{body}}", body)
            .getBytes(UTF_8);
  }

  static String sha1(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }

  static String resource(Class<?> beside, String file) {
    try (InputStream in = beside.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing beside " + beside.getName());
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.weir.bench.redis;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Loads the Lua scripts of this package. */
final class LuaScripts {
  private LuaScripts() {}

  static String load(String name) {
    try (InputStream in = LuaScripts.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new FileNotFoundException(name + ".lua");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

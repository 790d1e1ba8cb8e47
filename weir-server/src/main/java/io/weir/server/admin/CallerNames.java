package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Request;
import io.weir.server.web.JsonFields;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a caller is shown as: the attributes it is counted by. They are cut to what a screen has
 * room for, and of headers that hold secrets only a digest is shown.
 */
final class CallerNames {
  private static final int LONGEST = 200;
  private static final int DIGEST_BYTES = 6;
  private static final Pattern SECRET =
      Pattern.compile("header\\..*(auth|cookie|key|token|secret|session|password).*");

  private CallerNames() {}

  static Map<String, String> of(List<String> attributes, Request request) {
    Map<String, String> shown = new LinkedHashMap<>();
    for (String name : attributes) {
      String value = request.get(name);
      if (value != null) {
        shown.put(name, shown(name, value));
      }
    }
    return shown;
  }

  static String json(Map<String, String> names) {
    JsonFields fields = new JsonFields();
    names.forEach(fields::text);
    return fields.end();
  }

  private static String shown(String name, String value) {
    if (SECRET.matcher(name).matches()) {
      return "#" + digest(value);
    }
    return value.length() <= LONGEST ? value : value.substring(0, LONGEST) + "…";
  }

  private static String digest(String value) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}

package io.weir.admin;

import io.weir.Request;
import io.weir.internal.Sha256;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Display values of a caller: the attributes it is counted by, shortened for the screen. Headers
 * that may hold secrets are replaced by a digest.
 */
final class CallerLabels {
  private static final int MAX_VALUE_LENGTH = 200;
  private static final int DIGEST_BYTES = 6;
  private static final Pattern SECRET_HEADER =
      Pattern.compile("header\\..*(auth|cookie|key|token|secret|session|password).*");

  private CallerLabels() {}

  static Map<String, String> of(List<String> attributes, Request request) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String name : attributes) {
      String value = request.get(name);
      if (value != null) {
        labels.put(name, label(name, value));
      }
    }
    return labels;
  }

  private static String label(String name, String value) {
    if (SECRET_HEADER.matcher(name).matches()) {
      return "#" + digest(value);
    }
    return value.length() <= MAX_VALUE_LENGTH ? value : value.substring(0, MAX_VALUE_LENGTH) + "…";
  }

  private static String digest(String value) {
    return HexFormat.of().formatHex(Sha256.digest(value), 0, DIGEST_BYTES);
  }
}

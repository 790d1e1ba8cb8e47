package io.weir.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/** Encodes replies of the Redis protocol as text. */
final class RespReplyEncoder {
  static final String OK = "+OK\r\n";

  private RespReplyEncoder() {}

  static String error(String message) {
    return "-ERR " + message.replaceAll("\\p{Cntrl}", " ") + "\r\n";
  }

  static String simple(String text) {
    return "+" + text + "\r\n";
  }

  static String bulk(String text) {
    return "$" + text.getBytes(UTF_8).length + "\r\n" + text + "\r\n";
  }

  static String integer(long value) {
    return ":" + value + "\r\n";
  }

  static String array(List<String> encoded) {
    return "*" + encoded.size() + "\r\n" + String.join("", encoded);
  }

  /** Encodes a map, whose names and values alternate: in version 2 of the protocol, an array. */
  static String map(List<String> encoded, int protocol) {
    return protocol == 2
        ? array(encoded)
        : "%" + encoded.size() / 2 + "\r\n" + String.join("", encoded);
  }
}

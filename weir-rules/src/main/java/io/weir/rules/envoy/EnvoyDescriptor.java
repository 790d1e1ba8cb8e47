package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Converts a descriptor of Envoy to request attributes: its entries, {@code domain}, and {@code
 * descriptor}, the keys of the entries in their order, so that a rule can match descriptors with
 * exactly these keys.
 *
 * <p>A repeated key becomes a separate attribute: the second {@code generic_key} is {@code
 * generic_key.2}, and an entry {@code domain} is {@code domain.2}. Not thread-safe.
 */
public final class EnvoyDescriptor {
  /** The attribute with the domain of the call. */
  public static final String DOMAIN_ATTRIBUTE = "domain";

  /** The attribute with the keys of all entries, such as {@code message_type/to_number}. */
  public static final String KEYS_ATTRIBUTE = "descriptor";

  private static final int KEYS_VALUE_INDEX = 3;

  private final List<String> keys = new ArrayList<>();
  private final List<String> pairs = new ArrayList<>();
  private final StringBuilder joinedKeys = new StringBuilder();

  public EnvoyDescriptor(String domain) {
    keys.add(DOMAIN_ATTRIBUTE);
    keys.add(KEYS_ATTRIBUTE);
    Collections.addAll(pairs, DOMAIN_ATTRIBUTE, domain, KEYS_ATTRIBUTE, "");
  }

  /** Adds an entry and returns the name of its attribute. */
  public String add(String key, String value) {
    int before = Collections.frequency(keys, key);
    String name = before == 0 ? key : key + "." + (before + 1);
    appendKey(key);
    keys.add(key);
    pairs.add(name);
    pairs.add(value);
    return name;
  }

  /** Returns the number of entries. */
  public int entryCount() {
    return keys.size() - 2;
  }

  /** Returns alternating names and values of the attributes. */
  public String[] pairs() {
    pairs.set(KEYS_VALUE_INDEX, joinedKeys.toString());
    return pairs.toArray(new String[0]);
  }

  /** Returns the keys of all entries, separated by slashes, with special characters escaped. */
  public String joinedKeys() {
    return joinedKeys.toString();
  }

  private void appendKey(String key) {
    if (entryCount() > 0) {
      joinedKeys.append('/');
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (isLiteral(c)) {
        joinedKeys.append(c);
      } else {
        joinedKeys.append('%');
        for (int shift = 12; shift >= 0; shift -= 4) {
          joinedKeys.append(Character.forDigit(c >> shift & 0xf, 16));
        }
      }
    }
  }

  private static boolean isLiteral(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-'
        || c == '.';
  }
}

package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A descriptor of Envoy's as the attributes rules see: its entries, {@code domain}, and {@code
 * descriptor}, the entries' keys in their order, by which a rule meets descriptors of exactly these
 * keys.
 *
 * <p>A key that stands again is an attribute of its own: the second {@code generic_key} is {@code
 * generic_key.2}, and an entry {@code domain} is {@code domain.2}. Not thread-safe.
 */
public final class EnvoyDescriptor {
  /** The attribute that is the domain of the call. */
  public static final String DOMAIN_ATTRIBUTE = "domain";

  /** The attribute that is the keys of all entries, such as {@code message_type/to_number}. */
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

  /** Adds an entry; returns the name of its attribute. */
  public String add(String key, String value) {
    int before = Collections.frequency(keys, key);
    String name = before == 0 ? key : key + "." + (before + 1);
    appendKey(key);
    keys.add(key);
    pairs.add(name);
    pairs.add(value);
    return name;
  }

  /** How many entries it has. */
  public int entryCount() {
    return keys.size() - 2;
  }

  /** Names and values of the attributes in turn. */
  public String[] pairs() {
    pairs.set(KEYS_VALUE_INDEX, joinedKeys.toString());
    return pairs.toArray(new String[0]);
  }

  /** The keys of all entries: cut by slashes, and what is special in a pattern as its code. */
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

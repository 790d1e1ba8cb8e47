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
public final class Descriptor {
  /** The attribute that is the domain of the call. */
  public static final String DOMAIN = "domain";

  /** The attribute that is the keys of all entries, such as {@code message_type/to_number}. */
  public static final String KEYS = "descriptor";

  private static final int AT_KEYS = 3;

  private final List<String> keys = new ArrayList<>();
  private final List<String> pairs = new ArrayList<>();
  private final StringBuilder joined = new StringBuilder();

  public Descriptor(String domain) {
    keys.add(DOMAIN);
    keys.add(KEYS);
    Collections.addAll(pairs, DOMAIN, domain, KEYS, "");
  }

  /** Adds an entry; returns the name of its attribute. */
  public String add(String key, String value) {
    int before = Collections.frequency(keys, key);
    String name = before == 0 ? key : key + "." + (before + 1);
    join(key);
    keys.add(key);
    pairs.add(name);
    pairs.add(value);
    return name;
  }

  /** How many entries it has. */
  public int size() {
    return keys.size() - 2;
  }

  /** Names and values of the attributes in turn. */
  public String[] pairs() {
    pairs.set(AT_KEYS, joined.toString());
    return pairs.toArray(new String[0]);
  }

  /** The keys of all entries: cut by slashes, and what is special in a pattern as its code. */
  public String joined() {
    return joined.toString();
  }

  private void join(String key) {
    if (size() > 0) {
      joined.append('/');
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (isPlain(c)) {
        joined.append(c);
      } else {
        joined.append('%');
        for (int shift = 12; shift >= 0; shift -= 4) {
          joined.append(Character.forDigit(c >> shift & 0xf, 16));
        }
      }
    }
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '-'
        || c == '.';
  }
}

package io.weir.rule;

import org.jspecify.annotations.Nullable;

/** A hash table of texts, searched by a region of a longer text without cutting it. */
final class Regions<T extends Regions.Text> {

  /** What is kept under a text. */
  abstract static class Text {
    final String text;
    private final int hash;

    Text(String text) {
      this.text = text;
      this.hash = hash(text, 0, text.length());
    }
  }

  private static final Regions<?> NONE = new Regions<>(0);

  private final @Nullable Text[] table;
  private int count;

  private Regions(int size) {
    table = new Text[size];
  }

  /** An empty table that all who have none share. */
  @SuppressWarnings("unchecked")
  static <T extends Text> Regions<T> none() {
    return (Regions<T>) NONE;
  }

  /** This table with one more text, or a larger one in its place. */
  @SuppressWarnings("unchecked")
  Regions<T> with(T one) {
    if (count * 2 < table.length) {
      put(one);
      return this;
    }
    Regions<T> larger = new Regions<>(Math.max(2, table.length * 2));
    for (Text text : table) {
      if (text != null) {
        larger.put((T) text);
      }
    }
    larger.put(one);
    return larger;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** What is kept under the region's text. */
  @Nullable T find(String value, int from, int to) {
    return find(value, from, to, hash(value, from, to));
  }

  /** As above, the hash of the region being known. */
  @SuppressWarnings("unchecked")
  @Nullable T find(String value, int from, int to, int hash) {
    if (count == 0) {
      return null;
    }
    int at = slot(hash);
    for (Text t = table[at]; t != null; t = table[at]) {
      if (t.hash == hash && t.text.length() == to - from && value.startsWith(t.text, from)) {
        return (T) t;
      }
      at = (at + 1) & (table.length - 1);
    }
    return null;
  }

  private void put(T one) {
    count++;
    int at = slot(((Text) one).hash);
    while (table[at] != null) {
      at = (at + 1) & (table.length - 1);
    }
    table[at] = one;
  }

  /** Spread, else numbered names would fall side by side. */
  private int slot(int hash) {
    int spread = hash * 0x9E3779B9;
    return (spread ^ (spread >>> 16)) & (table.length - 1);
  }

  private static int hash(String text, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = hash(hash, text.charAt(i));
    }
    return hash;
  }

  /** The hash of a text and one more character; that of the empty text is 0. */
  static int hash(int hash, char next) {
    return hash * 31 + next;
  }
}

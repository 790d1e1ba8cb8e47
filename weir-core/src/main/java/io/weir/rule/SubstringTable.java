package io.weir.rule;

import org.jspecify.annotations.Nullable;

/** A hash table of texts, searched by a region of a longer text without cutting it. */
final class SubstringTable<T extends SubstringTable.SubstringKey> {

  /** What is kept under a text. */
  abstract static class SubstringKey {
    final String text;
    private final int hash;

    SubstringKey(String text) {
      this.text = text;
      this.hash = hash(text, 0, text.length());
    }
  }

  private static final SubstringTable<?> EMPTY = new SubstringTable<>(0);

  private final @Nullable SubstringKey[] slots;
  private int count;

  private SubstringTable(int size) {
    slots = new SubstringKey[size];
  }

  /** An empty table that all who have none share. */
  @SuppressWarnings("unchecked")
  static <T extends SubstringKey> SubstringTable<T> empty() {
    return (SubstringTable<T>) EMPTY;
  }

  /** This table with one more text, or a larger one in its place. */
  @SuppressWarnings("unchecked")
  SubstringTable<T> with(T one) {
    if (count * 2 < slots.length) {
      put(one);
      return this;
    }
    SubstringTable<T> larger = new SubstringTable<>(Math.max(2, slots.length * 2));
    for (SubstringKey text : slots) {
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
    for (SubstringKey t = slots[at]; t != null; t = slots[at]) {
      if (t.hash == hash && t.text.length() == to - from && value.startsWith(t.text, from)) {
        return (T) t;
      }
      at = (at + 1) & (slots.length - 1);
    }
    return null;
  }

  private void put(T one) {
    count++;
    int at = slot(((SubstringKey) one).hash);
    while (slots[at] != null) {
      at = (at + 1) & (slots.length - 1);
    }
    slots[at] = one;
  }

  /** Spread, else numbered names would fall side by side. */
  private int slot(int hash) {
    int spread = hash * 0x9E3779B9;
    return (spread ^ (spread >>> 16)) & (slots.length - 1);
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

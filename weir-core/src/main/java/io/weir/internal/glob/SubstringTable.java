package io.weir.internal.glob;

import org.jspecify.annotations.Nullable;

/**
 * A hash table keyed by strings that looks up a substring of a longer string without copying it.
 */
public final class SubstringTable<T extends SubstringTable.SubstringKey> {

  /** An entry of the table, with the string it is stored under. */
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

  /** Returns the shared empty table. */
  @SuppressWarnings("unchecked")
  static <T extends SubstringKey> SubstringTable<T> empty() {
    return (SubstringTable<T>) EMPTY;
  }

  /** Adds an entry and returns this table, or a larger copy if it is full. */
  @SuppressWarnings("unchecked")
  SubstringTable<T> with(T entry) {
    if (count * 2 < slots.length) {
      put(entry);
      return this;
    }
    SubstringTable<T> larger = new SubstringTable<>(Math.max(2, slots.length * 2));
    for (SubstringKey text : slots) {
      if (text != null) {
        larger.put((T) text);
      }
    }
    larger.put(entry);
    return larger;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Returns the entry for a substring, or null. */
  @Nullable T find(String value, int from, int to) {
    return find(value, from, to, hash(value, from, to));
  }

  /** Returns the entry for a substring with a known hash, or null. */
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

  private void put(T entry) {
    count++;
    int at = slot(((SubstringKey) entry).hash);
    while (slots[at] != null) {
      at = (at + 1) & (slots.length - 1);
    }
    slots[at] = entry;
  }

  /** Spreads the hash, because numbered names would otherwise get adjacent slots. */
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

  /** Extends the hash of a string by one character; the hash of the empty string is 0. */
  static int hash(int hash, char next) {
    return hash * 31 + next;
  }
}

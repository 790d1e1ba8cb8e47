package io.weir.rule;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A hash table from texts to values, searched by a region of a longer text without cutting it. */
final class Regions<V> {
  private @Nullable String[] texts = new String[4];
  private @Nullable Object[] values = new Object[4];
  private int count;

  void put(String text, V value) {
    if (count * 2 >= texts.length) {
      grow();
    }
    count++;
    int at = hash(text, 0, text.length()) & texts.length - 1;
    while (texts[at] != null) {
      at = at + 1 & texts.length - 1;
    }
    texts[at] = text;
    values[at] = value;
  }

  @SuppressWarnings("unchecked")
  @Nullable V find(String value, int from, int to) {
    if (count == 0) {
      return null;
    }
    int length = to - from;
    int at = hash(value, from, to) & texts.length - 1;
    for (String text = texts[at]; text != null; text = texts[at]) {
      if (text.length() == length && value.startsWith(text, from)) {
        return (V) values[at];
      }
      at = at + 1 & texts.length - 1;
    }
    return null;
  }

  @SuppressWarnings("unchecked")
  private void grow() {
    String[] oldTexts = texts;
    Object[] oldValues = values;
    texts = Arrays.copyOf(new String[0], oldTexts.length * 2);
    values = new Object[texts.length];
    count = 0;
    for (int i = 0; i < oldTexts.length; i++) {
      if (oldTexts[i] != null) {
        put(oldTexts[i], (V) oldValues[i]);
      }
    }
  }

  private static int hash(String text, int from, int to) {
    int h = to - from;
    for (int i = from; i < to; i++) {
      h = h * 31 + text.charAt(i);
    }
    return h ^ h >>> 15;
  }
}

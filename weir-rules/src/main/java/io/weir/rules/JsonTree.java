package io.weir.rules;

import io.weir.rules.text.Place;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Items;
import io.weir.rules.text.Written.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads JSON as programs write it, at a small part of what YAML costs, and without any places.
 *
 * <p>It gives up on all that is unusual, wrong or not: the text is then read as YAML, which says
 * what is wrong and where. What it does read, YAML would read as the same values.
 */
final class JsonTree {
  private static final int MAX_DEPTH = 12;
  private static final int MAX_FIELDS = 64;
  private static final int MAX_STRING = 1000;
  private static final int MAX_CHARACTERS = 16 << 20;
  private static final char END = '\0';

  private final String text;
  private int at;

  private JsonTree(String text) {
    this.text = text;
  }

  /** The map that is written; empty if it has to be read as YAML. */
  static Optional<Written> read(String text) {
    try {
      JsonTree tree = new JsonTree(text);
      expect(text.length() <= MAX_CHARACTERS && tree.next() == '{');
      Written value = tree.value(1);
      expect(tree.next() == END && tree.at == text.length());
      return Optional.of(value);
    } catch (Unusual e) {
      return Optional.empty();
    }
  }

  private Written value(int depth) {
    expect(depth <= MAX_DEPTH);
    return switch (next()) {
      case '{' -> fields(depth);
      case '[' -> items(depth);
      case '"' -> new Text(Place.START, string(), false);
      default -> new Text(Place.START, bare(), true);
    };
  }

  private Written fields(int depth) {
    List<Field> fields = new ArrayList<>();
    while (more(fields.isEmpty(), '}')) {
      expect(next() == '"');
      String name = string();
      // YAML wants the colon right here, and knows no name twice
      expect(here() == ':' && fields.stream().noneMatch(f -> f.name().equals(name)));
      at++;
      fields.add(new Field(Place.START, name, value(depth + 1)));
      expect(fields.size() <= MAX_FIELDS);
    }
    return new Fields(Place.START, fields);
  }

  private Written items(int depth) {
    List<Written> items = new ArrayList<>();
    while (more(items.isEmpty(), ']')) {
      items.add(value(depth + 1));
    }
    return new Items(Place.START, items);
  }

  /** Steps over what stands before an element, or over the end if there is none. */
  private boolean more(boolean first, char end) {
    if (first) {
      at++;
    }
    char c = next();
    if (c == end) {
      at++;
      return false;
    }
    if (!first) {
      expect(c == ',');
      at++;
      expect(next() != end);
    }
    return true;
  }

  private String string() {
    int from = ++at;
    while (here() != '"' && here() != '\\') {
      expect(isPlain(here()) && at - from <= MAX_STRING);
      at++;
    }
    return here() == '"' ? text.substring(from, at++) : escaped(from);
  }

  private String escaped(int from) {
    StringBuilder string = new StringBuilder(text.substring(from, at));
    for (; here() != '"'; at++) {
      char c = here();
      expect(isPlain(c) && string.length() <= MAX_STRING);
      if (c == '\\') {
        at++;
        c = escape();
      }
      string.append(c);
    }
    at++;
    return string.toString();
  }

  private char escape() {
    return switch (here()) {
      case '"', '\\', '/' -> here();
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int value = 0;
        for (int i = 0; i < 4; i++) {
          at++;
          int digit = Character.digit(here(), 16);
          expect(digit >= 0 && here() < 0x80);
          value = value * 16 + digit;
        }
        expect(!Character.isSurrogate((char) value));
        yield (char) value;
      }
      default -> throw new Unusual();
    };
  }

  /** A number, a truth or null. */
  private String bare() {
    int from = at;
    while ((here() >= 'a' && here() <= 'z') || (here() >= '0' && here() <= '9') || here() == '-') {
      at++;
    }
    String bare = text.substring(from, at);
    boolean word = bare.equals("true") || bare.equals("false") || bare.equals("null");
    expect(word || isNumber(bare));
    return bare;
  }

  private static boolean isNumber(String bare) {
    int first = bare.startsWith("-") ? 1 : 0;
    for (int i = first; i < bare.length(); i++) {
      if (bare.charAt(i) < '0' || bare.charAt(i) > '9') {
        return false;
      }
    }
    return bare.length() == first + 1 || (bare.length() > first && bare.charAt(first) != '0');
  }

  /** Letters and signs that no reader takes for anything else. */
  private static boolean isPlain(char c) {
    return (c >= ' ' && c <= '~') || (c > 0xA0 && c < 0x2000);
  }

  /** The next character that is not blank. */
  private char next() {
    while (here() == ' ' || here() == '\n') {
      at++;
    }
    return here();
  }

  private char here() {
    return at < text.length() ? text.charAt(at) : END;
  }

  private static void expect(boolean usual) {
    if (!usual) {
      throw new Unusual();
    }
  }

  /** Ends the reading of what is not usual. */
  private static final class Unusual extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Unusual() {
      super("unusual JSON", null, false, false);
    }
  }
}

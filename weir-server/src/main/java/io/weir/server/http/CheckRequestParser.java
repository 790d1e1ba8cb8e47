package io.weir.server.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.vertx.core.buffer.Buffer;
import io.weir.Request;
import io.weir.rules.text.NameSuggestion;
import io.weir.server.web.InvalidInputException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is asked of the decision API, such as {@code {"attributes":{"user":"42"},"cost":1}}.
 *
 * <p>Everything is said once or left out; a name that is not known is refused, since a misspelt
 * cost would be one that is not counted.
 */
final class CheckRequestParser implements AutoCloseable {
  static final int MAX_BATCH_SIZE = 1000;
  static final long DEFAULT_TTL_MILLIS = 60_000;

  private static final int MAX_NESTING_DEPTH = 8;
  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(MAX_NESTING_DEPTH).build())
          .build();

  private final JsonParser parser;
  private int seenFields; // a bit for each field of the object being read

  private CheckRequestParser(JsonParser parser) {
    this.parser = parser;
  }

  /** One check: what is asked, and for how long it is reserved if it is. */
  record ParsedCheck(Request request, long ttlMillis) {}

  /** A function that may find its input bad. */
  private interface CheckBodyParser<T> {
    T parse(CheckRequestParser reader) throws IOException, InvalidInputException;
  }

  static Request parseCheck(Buffer body) throws InvalidInputException {
    return read(body, r -> r.parseCheck(CheckFieldNames.CHECK_FIELDS).request());
  }

  static ParsedCheck parseReserve(Buffer body) throws InvalidInputException {
    return read(body, r -> r.parseCheck(CheckFieldNames.RESERVE_FIELDS));
  }

  static List<Request> parseBatch(Buffer body) throws InvalidInputException {
    return read(body, CheckRequestParser::readChecks);
  }

  /** The true cost of a reservation: 0 or more. */
  static long parseCommit(Buffer body) throws InvalidInputException {
    return read(body, CheckRequestParser::readActualCost);
  }

  private static <T> T read(Buffer body, CheckBodyParser<T> part) throws InvalidInputException {
    if (body.length() == 0) {
      throw new InvalidInputException(
          "the body is empty; send JSON such as " + CheckFieldNames.EXAMPLE);
    }
    try (CheckRequestParser reader = new CheckRequestParser(JSON.createParser(body.getBytes()))) {
      reader.parser.nextToken();
      T value = part.parse(reader);
      if (reader.parser.nextToken() != null) {
        throw new InvalidInputException("something follows the JSON; send one object");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(
          "the body is not JSON" + position(e.getLocation()) + "; send " + CheckFieldNames.EXAMPLE);
    } catch (IOException e) {
      throw new InvalidInputException("the body is not JSON; send UTF-8");
    }
  }

  /** Where the parser gave up; it does not say for numbers and texts beyond its limits. */
  private static String position(@Nullable JsonLocation at) {
    return at == null
        ? ", or has a number or text that is too long"
        : " from line %d, column %d on".formatted(at.getLineNr(), at.getColumnNr());
  }

  private ParsedCheck parseCheck(List<String> known) throws IOException, InvalidInputException {
    expectObject("a check");
    seenFields = 0;
    Request request = null;
    long cost = 1;
    long ttl = DEFAULT_TTL_MILLIS;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = nextField(known);
      switch (name) {
        case CheckFieldNames.ATTRIBUTES -> request = readAttributes();
        case CheckFieldNames.COST -> cost = readWholeNumber(name, 1, 1L << 53);
        default -> ttl = readWholeNumber(name, 1, 86_400_000);
      }
    }
    if (request == null) {
      throw new InvalidInputException("attributes is missing; send " + CheckFieldNames.EXAMPLE);
    }
    return new ParsedCheck(cost == 1 ? request : request.cost(cost), ttl);
  }

  private List<Request> readChecks() throws IOException, InvalidInputException {
    expectObject("a batch");
    List<Request> checks = new ArrayList<>();
    boolean said = false;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      if (said) {
        throw new InvalidInputException("something follows checks; send them alone");
      }
      seenFields = 0;
      String name = nextField(CheckFieldNames.BATCH_FIELDS);
      said = true;
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw new InvalidInputException(
            name + " is no list; send [" + CheckFieldNames.EXAMPLE + "]");
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (checks.size() == MAX_BATCH_SIZE) {
          throw new InvalidInputException(
              "more than " + MAX_BATCH_SIZE + " checks; send fewer at once");
        }
        try {
          checks.add(parseCheck(CheckFieldNames.CHECK_FIELDS).request());
        } catch (InvalidInputException e) {
          throw new InvalidInputException("checks[" + checks.size() + "]: " + e.reason());
        }
      }
    }
    if (!said) {
      throw new InvalidInputException(
          "checks is missing; send {\"checks\":[" + CheckFieldNames.EXAMPLE + "]}");
    }
    return checks;
  }

  private long readActualCost() throws IOException, InvalidInputException {
    expectObject("a commit");
    seenFields = 0;
    long cost = -1;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      cost = readWholeNumber(nextField(CheckFieldNames.COMMIT_FIELDS), 0, 1L << 53);
    }
    if (cost < 0) {
      throw new InvalidInputException(
          "cost is missing; send {\"cost\":n} with the true cost, 0 or more");
    }
    return cost;
  }

  /** The name of the next field, whose value the parser then stands at. */
  private String nextField(List<String> known) throws IOException, InvalidInputException {
    String name = parser.currentName();
    int index = known.indexOf(name);
    if (index < 0) {
      String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
      throw new InvalidInputException(
          "'" + shown + "' is not known; " + NameSuggestion.hint(name, known));
    }
    if ((seenFields & 1 << index) != 0) {
      throw new InvalidInputException(name + " stands twice; send it once");
    }
    seenFields |= 1 << index;
    parser.nextToken();
    return name;
  }

  private Request readAttributes() throws IOException, InvalidInputException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new InvalidInputException("attributes is no object; send {\"user\":\"42\"}");
    }
    List<String> pairs = new ArrayList<>(8);
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
        throw new InvalidInputException("attribute '" + shown + "' is no text; send it in quotes");
      }
      pairs.add(name);
      pairs.add(parser.getText());
    }
    try {
      return Request.of(pairs.toArray(String[]::new));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  private long readWholeNumber(String name, long least, long most)
      throws IOException, InvalidInputException {
    boolean whole = parser.currentToken() == JsonToken.VALUE_NUMBER_INT;
    boolean fits =
        whole
            && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
            && parser.getLongValue() >= least
            && parser.getLongValue() <= most;
    if (!fits) {
      throw new InvalidInputException(
          name + " is no number that can be; send a whole number from " + least + " to " + most);
    }
    return parser.getLongValue();
  }

  private void expectObject(String what) throws InvalidInputException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new InvalidInputException(what + " is an object; send " + CheckFieldNames.EXAMPLE);
    }
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }

  /** The names of all fields there are, by what they are fields of. */
  static final class CheckFieldNames {
    static final String ATTRIBUTES = "attributes";
    static final String COST = "cost";
    static final String TTL = "ttl_ms";
    static final List<String> CHECK_FIELDS = List.of(ATTRIBUTES, COST);
    static final List<String> RESERVE_FIELDS = List.of(ATTRIBUTES, COST, TTL);
    static final List<String> BATCH_FIELDS = List.of("checks");
    static final List<String> COMMIT_FIELDS = List.of(COST);
    static final String EXAMPLE = "{\"attributes\":{\"user\":\"42\"},\"cost\":1}";

    private CheckFieldNames() {}
  }
}

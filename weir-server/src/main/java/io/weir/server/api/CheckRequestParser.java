package io.weir.server.api;

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
import io.weir.web.InvalidInputException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses request bodies of the decision API, such as {@code {"attributes":{"user":"42"},"cost":1}}.
 *
 * <p>Each field occurs at most once. Unknown fields are rejected, since a misspelled cost would not
 * be charged.
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
  private int seenFields; // bit set of the fields seen in the current object

  private CheckRequestParser(JsonParser parser) {
    this.parser = parser;
  }

  /** A parsed check; the time to live applies to reservations only. */
  record ParsedCheck(Request request, long ttlMillis) {}

  /** Parses one kind of body. */
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

  /** Parses the actual cost of a reservation: 0 or more. */
  static long parseCommit(Buffer body) throws InvalidInputException {
    return read(body, CheckRequestParser::readActualCost);
  }

  private static <T> T read(Buffer body, CheckBodyParser<T> bodyParser)
      throws InvalidInputException {
    if (body.length() == 0) {
      throw new InvalidInputException(
          "the body is empty; send JSON such as " + CheckFieldNames.EXAMPLE);
    }
    try (CheckRequestParser reader = new CheckRequestParser(JSON.createParser(body.getBytes()))) {
      reader.parser.nextToken();
      T value = bodyParser.parse(reader);
      if (reader.parser.nextToken() != null) {
        throw new InvalidInputException("unexpected data after the JSON object; send one object");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(
          "the body is not JSON" + position(e.getLocation()) + "; send " + CheckFieldNames.EXAMPLE);
    } catch (IOException e) {
      throw new InvalidInputException("the body is not JSON; send UTF-8");
    }
  }

  /** The position of a syntax error; unknown for numbers and strings that exceed the limits. */
  private static String position(@Nullable JsonLocation at) {
    return at == null
        ? ", or has a number or string that is too long"
        : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr());
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
    boolean hasChecks = false;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      if (hasChecks) {
        throw new InvalidInputException("checks must be the only field");
      }
      seenFields = 0;
      String name = nextField(CheckFieldNames.BATCH_FIELDS);
      hasChecks = true;
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw new InvalidInputException(
            name + " must be a list, for example [" + CheckFieldNames.EXAMPLE + "]");
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
    if (!hasChecks) {
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
          "cost is missing; send {\"cost\":n} with the actual cost, 0 or more");
    }
    return cost;
  }

  /** Reads the name of the next field and advances the parser to its value. */
  private String nextField(List<String> known) throws IOException, InvalidInputException {
    String name = parser.currentName();
    int index = known.indexOf(name);
    if (index < 0) {
      String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
      throw new InvalidInputException(
          "unknown field '" + shown + "'; " + NameSuggestion.hint(name, known));
    }
    if ((seenFields & 1 << index) != 0) {
      throw new InvalidInputException(name + " occurs twice; send it once");
    }
    seenFields |= 1 << index;
    parser.nextToken();
    return name;
  }

  private Request readAttributes() throws IOException, InvalidInputException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new InvalidInputException(
          "attributes must be an object, for example {\"user\":\"42\"}");
    }
    List<String> pairs = new ArrayList<>(8);
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
        throw new InvalidInputException(
            "attribute '" + shown + "' must be a string; send it in quotes");
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

  private long readWholeNumber(String name, long min, long max)
      throws IOException, InvalidInputException {
    boolean isWhole = parser.currentToken() == JsonToken.VALUE_NUMBER_INT;
    boolean isInRange =
        isWhole
            && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
            && parser.getLongValue() >= min
            && parser.getLongValue() <= max;
    if (!isInRange) {
      throw new InvalidInputException(name + " must be a whole number from " + min + " to " + max);
    }
    return parser.getLongValue();
  }

  private void expectObject(String what) throws InvalidInputException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new InvalidInputException(
          what + " must be an object, for example " + CheckFieldNames.EXAMPLE);
    }
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }

  /** The field names of each kind of body. */
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

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
import io.weir.rules.text.Nearest;
import io.weir.server.web.BadInput;
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
final class CheckReader implements AutoCloseable {
  static final int MOST_CHECKS = 1000;
  static final long USUAL_TTL = 60_000;

  private static final int DEEPEST = 8;
  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
          .build();

  private final JsonParser parser;
  private int seen; // a bit for each field of the object being read

  private CheckReader(JsonParser parser) {
    this.parser = parser;
  }

  /** One check: what is asked, and for how long it is reserved if it is. */
  record Check(Request request, long ttlMillis) {}

  /** A function that may find its input bad. */
  private interface Part<T> {
    T read(CheckReader reader) throws IOException, BadInput;
  }

  static Request check(Buffer body) throws BadInput {
    return read(body, r -> r.check(Fields.CHECK).request());
  }

  static Check reserve(Buffer body) throws BadInput {
    return read(body, r -> r.check(Fields.RESERVE));
  }

  static List<Request> batch(Buffer body) throws BadInput {
    return read(body, CheckReader::checks);
  }

  /** The true cost of a reservation: 0 or more. */
  static long commit(Buffer body) throws BadInput {
    return read(body, CheckReader::trueCost);
  }

  private static <T> T read(Buffer body, Part<T> part) throws BadInput {
    if (body.length() == 0) {
      throw new BadInput("the body is empty; send JSON such as " + Fields.EXAMPLE);
    }
    try (CheckReader reader = new CheckReader(JSON.createParser(body.getBytes()))) {
      reader.parser.nextToken();
      T value = part.read(reader);
      if (reader.parser.nextToken() != null) {
        throw new BadInput("something follows the JSON; send one object");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "the body is not JSON" + position(e.getLocation()) + "; send " + Fields.EXAMPLE);
    } catch (IOException e) {
      throw new BadInput("the body is not JSON; send UTF-8");
    }
  }

  /** Where the parser gave up; it does not say for numbers and texts beyond its limits. */
  private static String position(@Nullable JsonLocation at) {
    return at == null
        ? ", or has a number or text that is too long"
        : " from line %d, column %d on".formatted(at.getLineNr(), at.getColumnNr());
  }

  private Check check(List<String> known) throws IOException, BadInput {
    object("a check");
    seen = 0;
    Request request = null;
    long cost = 1;
    long ttl = USUAL_TTL;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = field(known);
      switch (name) {
        case Fields.ATTRIBUTES -> request = attributes();
        case Fields.COST -> cost = whole(name, 1, 1L << 53);
        default -> ttl = whole(name, 1, 86_400_000);
      }
    }
    if (request == null) {
      throw new BadInput("attributes is missing; send " + Fields.EXAMPLE);
    }
    return new Check(cost == 1 ? request : request.cost(cost), ttl);
  }

  private List<Request> checks() throws IOException, BadInput {
    object("a batch");
    List<Request> checks = new ArrayList<>();
    boolean said = false;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      if (said) {
        throw new BadInput("something follows checks; send them alone");
      }
      seen = 0;
      String name = field(Fields.BATCH);
      said = true;
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        throw new BadInput(name + " is no list; send [" + Fields.EXAMPLE + "]");
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (checks.size() == MOST_CHECKS) {
          throw new BadInput("more than " + MOST_CHECKS + " checks; send fewer at once");
        }
        try {
          checks.add(check(Fields.CHECK).request());
        } catch (BadInput e) {
          throw new BadInput("checks[" + checks.size() + "]: " + e.reason());
        }
      }
    }
    if (!said) {
      throw new BadInput("checks is missing; send {\"checks\":[" + Fields.EXAMPLE + "]}");
    }
    return checks;
  }

  private long trueCost() throws IOException, BadInput {
    object("a commit");
    seen = 0;
    long cost = -1;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      cost = whole(field(Fields.COMMIT), 0, 1L << 53);
    }
    if (cost < 0) {
      throw new BadInput("cost is missing; send {\"cost\":n} with the true cost, 0 or more");
    }
    return cost;
  }

  /** The name of the next field, whose value the parser then stands at. */
  private String field(List<String> known) throws IOException, BadInput {
    String name = parser.currentName();
    int index = known.indexOf(name);
    if (index < 0) {
      String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
      throw new BadInput("'" + shown + "' is not known; " + Nearest.hint(name, known));
    }
    if ((seen & 1 << index) != 0) {
      throw new BadInput(name + " stands twice; send it once");
    }
    seen |= 1 << index;
    parser.nextToken();
    return name;
  }

  private Request attributes() throws IOException, BadInput {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new BadInput("attributes is no object; send {\"user\":\"42\"}");
    }
    List<String> pairs = new ArrayList<>(8);
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        String shown = name.length() > 60 ? name.substring(0, 60) + "…" : name;
        throw new BadInput("attribute '" + shown + "' is no text; send it in quotes");
      }
      pairs.add(name);
      pairs.add(parser.getText());
    }
    try {
      return Request.of(pairs.toArray(String[]::new));
    } catch (IllegalArgumentException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
  }

  private long whole(String name, long least, long most) throws IOException, BadInput {
    boolean whole = parser.currentToken() == JsonToken.VALUE_NUMBER_INT;
    boolean fits =
        whole
            && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER
            && parser.getLongValue() >= least
            && parser.getLongValue() <= most;
    if (!fits) {
      throw new BadInput(
          name + " is no number that can be; send a whole number from " + least + " to " + most);
    }
    return parser.getLongValue();
  }

  private void object(String what) throws BadInput {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      throw new BadInput(what + " is an object; send " + Fields.EXAMPLE);
    }
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }

  /** The names of all fields there are, by what they are fields of. */
  static final class Fields {
    static final String ATTRIBUTES = "attributes";
    static final String COST = "cost";
    static final String TTL = "ttl_ms";
    static final List<String> CHECK = List.of(ATTRIBUTES, COST);
    static final List<String> RESERVE = List.of(ATTRIBUTES, COST, TTL);
    static final List<String> BATCH = List.of("checks");
    static final List<String> COMMIT = List.of(COST);
    static final String EXAMPLE = "{\"attributes\":{\"user\":\"42\"},\"cost\":1}";

    private Fields() {}
  }
}

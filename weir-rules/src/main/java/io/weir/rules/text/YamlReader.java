package io.weir.rules.text;

import io.weir.rules.text.ParsedValue.InvalidValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ParsedValue.ScalarValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads YAML, and therefore JSON, into values with their source positions.
 *
 * <p>Only what rules and settings need is supported: one document of maps, lists and text. No
 * objects are constructed, no aliases are expanded, and depth, number and length of values are
 * bounded.
 */
public final class YamlReader {
  public static final int MAX_CHARACTERS = 64 << 20;

  private static final int MAX_DEPTH = 16;
  private static final int MAX_VALUES = 2_000_000;
  private static final int MAX_VALUE_LENGTH = 65_536;

  /** The parser rereads a scalar for each buffer it fills, so small buffers would be very slow. */
  private static final int MAX_BUFFER_LENGTH = 1 << 20;

  private final ProblemCollector problems;
  private final Iterator<Event> events;
  private int valueCount;

  private YamlReader(String text, ProblemCollector problems) {
    this.problems = problems;
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(MAX_CHARACTERS)
            .setBufferSize(Math.max(1024, Math.min(text.length(), MAX_BUFFER_LENGTH)))
            .build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /**
   * Reads the value of a text; returns empty if the text is empty.
   *
   * @throws InvalidConfigurationException if the text cannot be read to its end
   */
  public static Optional<ParsedValue> read(String text, ProblemCollector problems) {
    if (text.length() > MAX_CHARACTERS) {
      throw problems.fatal(
          SourcePosition.WHOLE_FILE,
          "must have at most " + MAX_CHARACTERS + " characters (was " + text.length() + ")");
    }
    TextDecoder.requirePrintable(text, problems);
    try {
      return new YamlReader(text, problems).readDocument();
    } catch (YamlEngineException e) {
      throw YamlSyntaxErrors.toException(e, problems);
    }
  }

  private Optional<ParsedValue> readDocument() {
    Optional<ParsedValue> content = Optional.empty();
    int documents = 0;
    while (events.hasNext()) {
      Event event = events.next();
      if (event.getEventId() == Event.ID.DocumentStart && ++documents > 1) {
        throw problems.fatal(
            positionOf(event), "must not begin a second document; use a single one");
      }
      if (event instanceof NodeEvent) {
        content = Optional.of(readValue(event, 1));
      }
    }
    return content;
  }

  private ParsedValue readValue(Event event, int depth) {
    SourcePosition at = positionOf(event);
    if (++valueCount > MAX_VALUES) {
      throw problems.fatal(at, "must have at most " + MAX_VALUES + " values; use fewer rules");
    }
    if (event instanceof AliasEvent) {
      problems.add(at, "is an alias (*); aliases are not supported, repeat the value");
      return new InvalidValue(at);
    }
    if (((NodeEvent) event).getAnchor().isPresent()) {
      problems.add(at, "has an anchor (&); anchors are not supported, remove it");
    }
    Optional<String> tag = tag(event);
    if (tag.isPresent()) {
      String name = ProblemCollector.quote(tag.get());
      problems.add(at, "has the tag " + name + "; tags are not supported, remove it");
    }
    return event instanceof ScalarEvent scalar
        ? readScalar(at, scalar)
        : readCollection(at, event, depth);
  }

  private ParsedValue readScalar(SourcePosition at, ScalarEvent scalar) {
    String value = scalar.getValue();
    if (value.length() > MAX_VALUE_LENGTH) {
      problems.add(
          at, "must have at most " + MAX_VALUE_LENGTH + " characters (was " + value.length() + ")");
      return new InvalidValue(at);
    }
    return new ScalarValue(at, value, scalar.isPlain());
  }

  private ParsedValue readCollection(SourcePosition at, Event start, int depth) {
    if (depth > MAX_DEPTH) {
      throw problems.fatal(at, "must be nested at most " + MAX_DEPTH + " levels deep");
    }
    return start.getEventId() == Event.ID.SequenceStart
        ? readItems(at, depth)
        : readFields(at, depth);
  }

  private ListValue readItems(SourcePosition at, int depth) {
    List<ParsedValue> items = new ArrayList<>();
    for (Event e = events.next(); e.getEventId() != Event.ID.SequenceEnd; e = events.next()) {
      items.add(readValue(e, depth + 1));
    }
    return new ListValue(at, items);
  }

  private MapValue readFields(SourcePosition at, int depth) {
    List<MapEntry> fields = new ArrayList<>();
    Map<String, SourcePosition> names = new HashMap<>();
    for (Event e = events.next(); e.getEventId() != Event.ID.MappingEnd; e = events.next()) {
      ParsedValue name = readValue(e, depth + 1);
      ParsedValue value = readValue(events.next(), depth + 1);
      if (!(name instanceof ScalarValue text) || text.isNull()) {
        if (!(name instanceof InvalidValue)) {
          problems.add(name.position(), "must be a field name, for example limit");
        }
        continue;
      }
      SourcePosition first = names.putIfAbsent(text.value(), name.position());
      if (first == null) {
        fields.add(new MapEntry(name.position(), text.value(), value));
      } else {
        problems.add(
            name.position(),
            ProblemCollector.quote(text.value())
                + " must occur once (was already in line "
                + first.line()
                + ")");
      }
    }
    return new MapValue(at, fields);
  }

  private static Optional<String> tag(Event event) {
    if (event instanceof ScalarEvent scalar) {
      return scalar.getTag();
    }
    return event instanceof CollectionStartEvent start ? start.getTag() : Optional.empty();
  }

  private static SourcePosition positionOf(Event event) {
    return event.getStartMark().map(YamlReader::positionOf).orElse(SourcePosition.WHOLE_FILE);
  }

  static SourcePosition positionOf(Mark mark) {
    return new SourcePosition(mark.getLine() + 1, mark.getColumn() + 1);
  }
}

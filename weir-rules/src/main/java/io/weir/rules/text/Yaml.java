package io.weir.rules.text;

import io.weir.rules.text.Written.Field;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Items;
import io.weir.rules.text.Written.Refused;
import io.weir.rules.text.Written.Text;
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
 * Reads YAML, and so JSON, into values with their places.
 *
 * <p>Only what rules and settings need is read: one document of maps, lists and text. Nothing is
 * constructed, nothing is expanded, and depth, number and length of the values are bounded.
 */
public final class Yaml {
  public static final int MAX_CHARACTERS = 64 << 20;

  private static final int MAX_DEPTH = 16;
  private static final int MAX_VALUES = 2_000_000;
  private static final int MAX_VALUE_LENGTH = 65_536;

  /** A scalar is read once more for each buffer it fills, so small ones would take very long. */
  private static final int MAX_BUFFER = 1 << 20;

  private final Problems problems;
  private final Iterator<Event> events;
  private int values;

  private Yaml(String text, Problems problems) {
    this.problems = problems;
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(MAX_CHARACTERS)
            .setBufferSize(Math.max(1024, Math.min(text.length(), MAX_BUFFER)))
            .build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /**
   * The value that is written, if anything is.
   *
   * @throws TextException if it cannot be read to its end
   */
  public static Optional<Written> read(String text, Problems problems) {
    if (text.length() > MAX_CHARACTERS) {
      throw problems.fatal(
          Place.FILE, "has " + text.length() + " characters; write at most " + MAX_CHARACTERS);
    }
    Unprintable.check(text, problems);
    try {
      return new Yaml(text, problems).document();
    } catch (YamlEngineException e) {
      throw Syntax.problem(e, problems);
    }
  }

  private Optional<Written> document() {
    Optional<Written> content = Optional.empty();
    int documents = 0;
    while (events.hasNext()) {
      Event event = events.next();
      if (event.getEventId() == Event.ID.DocumentStart && ++documents > 1) {
        throw problems.fatal(place(event), "a second document begins here; write a single one");
      }
      if (event instanceof NodeEvent) {
        content = Optional.of(value(event, 1));
      }
    }
    return content;
  }

  private Written value(Event event, int depth) {
    Place at = place(event);
    if (++values > MAX_VALUES) {
      throw problems.fatal(at, "has more than " + MAX_VALUES + " values; write fewer rules");
    }
    if (event instanceof AliasEvent) {
      problems.add(at, "is an alias (*); aliases are not read, write the value itself");
      return new Refused(at);
    }
    if (((NodeEvent) event).getAnchor().isPresent()) {
      problems.add(at, "has an anchor (&); anchors are not read, write the value alone");
    }
    Optional<String> tag = tag(event);
    if (tag.isPresent()) {
      String name = Problems.quote(tag.get());
      problems.add(at, "has the tag " + name + "; tags are not read, write the value alone");
    }
    return event instanceof ScalarEvent scalar ? text(at, scalar) : collection(at, event, depth);
  }

  private Written text(Place at, ScalarEvent scalar) {
    String value = scalar.getValue();
    if (value.length() > MAX_VALUE_LENGTH) {
      problems.add(at, "has " + value.length() + " characters; write at most " + MAX_VALUE_LENGTH);
      return new Refused(at);
    }
    return new Text(at, value, scalar.isPlain());
  }

  private Written collection(Place at, Event start, int depth) {
    if (depth > MAX_DEPTH) {
      throw problems.fatal(at, "is nested deeper than " + MAX_DEPTH + "; write a flat list");
    }
    return start.getEventId() == Event.ID.SequenceStart ? items(at, depth) : fields(at, depth);
  }

  private Items items(Place at, int depth) {
    List<Written> items = new ArrayList<>();
    for (Event e = events.next(); e.getEventId() != Event.ID.SequenceEnd; e = events.next()) {
      items.add(value(e, depth + 1));
    }
    return new Items(at, items);
  }

  private Fields fields(Place at, int depth) {
    List<Field> fields = new ArrayList<>();
    Map<String, Place> names = new HashMap<>();
    for (Event e = events.next(); e.getEventId() != Event.ID.MappingEnd; e = events.next()) {
      Written name = value(e, depth + 1);
      Written value = value(events.next(), depth + 1);
      if (!(name instanceof Text text) || text.isNull()) {
        if (!(name instanceof Refused)) {
          problems.add(name.at(), "is no name of a field; write one, such as limit");
        }
        continue;
      }
      Place first = names.putIfAbsent(text.value(), name.at());
      if (first == null) {
        fields.add(new Field(name.at(), text.value(), value));
      } else {
        problems.add(
            name.at(),
            Problems.quote(text.value())
                + " is written twice, first in line "
                + first.line()
                + "; keep one");
      }
    }
    return new Fields(at, fields);
  }

  private static Optional<String> tag(Event event) {
    if (event instanceof ScalarEvent scalar) {
      return scalar.getTag();
    }
    return event instanceof CollectionStartEvent start ? start.getTag() : Optional.empty();
  }

  private static Place place(Event event) {
    return event.getStartMark().map(Yaml::place).orElse(Place.FILE);
  }

  static Place place(Mark mark) {
    return new Place(mark.getLine() + 1, mark.getColumn() + 1);
  }
}

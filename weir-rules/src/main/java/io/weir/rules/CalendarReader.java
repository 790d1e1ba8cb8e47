package io.weir.rules;

import io.weir.rule.CalendarSettings;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.MapEntry;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ProblemCollector;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the calendar of a rule: five fields, each of which makes its limits calendar windows. */
final class CalendarReader {
  static final List<String> FIELD_NAMES =
      List.of("calendar", "zone", "week-starts", "reset-day", "reset-at");

  private static final String ZONE = "an IANA time zone, for example Europe/Berlin";
  private static final String TIME = "a time of day from 00:00 to 23:59, for example 06:00";
  private static final Map<String, DayOfWeek> DAYS = dayNames();

  private final ProblemCollector problems;
  private final String rule;
  private CalendarSettings settings = CalendarSettings.DEFAULT;

  CalendarReader(ProblemCollector problems, String rule) {
    this.problems = problems;
    this.rule = rule;
  }

  /** Reads the fields; returns empty if the rule has no calendar. Problems are reported. */
  Optional<CalendarSettings> read(Map<String, ParsedValue> values) {
    List<String> present = FIELD_NAMES.stream().filter(values::containsKey).toList();
    if (present.isEmpty() || isOff(present, values)) {
      return Optional.empty();
    }
    readValue(values, "zone", "a time zone", CalendarReader::readZone)
        .ifPresent(zone -> settings = settings.withZone(zone.attribute, zone.value));
    readValue(values, "reset-day", "a day of the month", CalendarReader::readDay)
        .ifPresent(day -> change(values, day));
    weekday(values).ifPresent(day -> settings = settings.withWeekStarts(day));
    ParsedValue time = values.get("reset-at");
    if (time != null) {
      readTime(reader("reset-at"), time).ifPresent(at -> settings = settings.withResetAt(at));
    }
    return Optional.of(settings);
  }

  private void change(Map<String, ParsedValue> values, CallerValue<Integer> day) {
    ParsedValue value = values.get("reset-day");
    if (value != null) {
      reader("reset-day")
          .convert(value, day.value, number -> settings.withResetDay(day.attribute, number))
          .ifPresent(changed -> settings = changed);
    }
  }

  private boolean isOff(List<String> present, Map<String, ParsedValue> values) {
    ParsedValue value = values.get("calendar");
    if (value == null) {
      return false;
    }
    boolean off = reader("calendar").booleanValue(value).filter(on -> !on).isPresent();
    if (off && present.size() > 1) {
      reader("calendar")
          .report(value.position(), "must be true or left out where " + present.get(1) + " is set");
    }
    return off && present.size() == 1;
  }

  /** A value for all callers, or an attribute that has a value for each and the default. */
  private record CallerValue<T>(@Nullable String attribute, T value) {}

  private <T> Optional<CallerValue<T>> readValue(
      Map<String, ParsedValue> values, String field, String what, ValueParser<T> parser) {
    ParsedValue value = values.get(field);
    if (value == null) {
      return Optional.empty();
    }
    FieldReader in = reader(field);
    if (!(value instanceof MapValue map)) {
      return parser.read(in, value).map(read -> new CallerValue<>(null, read));
    }
    Optional<String> attribute = Optional.empty();
    Optional<T> fallback = Optional.empty();
    boolean complete = true;
    for (MapEntry entry : map.fields()) {
      switch (entry.name()) {
        case "attribute" ->
            attribute = in.text(entry.value(), "the name of an attribute, for example tz");
        case "default" -> fallback = parser.read(in, entry.value());
        default -> {
          in.report(
              entry.position(),
              ProblemCollector.quote(entry.name())
                  + " is not a field of "
                  + field
                  + "; "
                  + NameSuggestion.hint(entry.name(), List.of("attribute", "default")));
          complete = false;
        }
      }
      complete &= !entry.name().equals("default") || fallback.isPresent();
    }
    if (complete && (attribute.isEmpty() || fallback.isEmpty())) {
      in.report(
          map.position(),
          "must be " + what + ", or an attribute with a default, for example " + example(field));
    }
    String name = attribute.orElse(null);
    return fallback.filter(v -> name != null).map(v -> new CallerValue<>(name, v));
  }

  private static String example(String field) {
    return field.equals("zone")
        ? "{attribute: tz, default: UTC}"
        : "{attribute: billing_day, default: 1}";
  }

  /** Reads one value of a field. */
  private interface ValueParser<T> {
    Optional<T> read(FieldReader in, ParsedValue value);
  }

  /** Reads a time zone; an unknown one is reported with the nearest known one. */
  static Optional<ZoneId> readZone(FieldReader in, ParsedValue value) {
    return in.text(value, ZONE)
        .flatMap(
            name ->
                CalendarSettings.zoneNames().contains(name)
                    ? in.convert(value, name, CalendarSettings::zone)
                    : rejectZone(in, value, name));
  }

  private static Optional<ZoneId> rejectZone(FieldReader in, ParsedValue value, String name) {
    in.report(
        value.position(),
        FieldReader.mustBe(ZONE, ProblemCollector.quote(name))
            + nearestZone(name).map(zone -> "; did you mean " + zone + "?").orElse(""));
    return Optional.empty();
  }

  /** Returns the zone with the most similar name, or else the most similar city. */
  private static Optional<String> nearestZone(String name) {
    Optional<String> nearest = NameSuggestion.closest(name, CalendarSettings.zoneNames());
    if (nearest.isPresent()) {
      return nearest;
    }
    Map<String, String> cities = new TreeMap<>();
    for (String zone : CalendarSettings.zoneNames()) {
      if (zone.contains("/") && !zone.startsWith("Etc/") && !zone.startsWith("SystemV/")) {
        cities.put(lastPart(zone), zone);
      }
    }
    return NameSuggestion.closest(lastPart(name), cities.keySet()).map(cities::get);
  }

  private static String lastPart(String zone) {
    return zone.substring(zone.lastIndexOf('/') + 1);
  }

  private static Optional<Integer> readDay(FieldReader in, ParsedValue value) {
    return in.wholeNumber(value)
        .flatMap(
            day ->
                in.convert(
                    value,
                    (int) Math.max(Integer.MIN_VALUE, Math.min(day, Integer.MAX_VALUE)),
                    one -> CalendarSettings.DEFAULT.withResetDay(null, one).resetDay()));
  }

  private Optional<DayOfWeek> weekday(Map<String, ParsedValue> values) {
    ParsedValue value = values.get("week-starts");
    return value == null ? Optional.empty() : readDayOfWeek(reader("week-starts"), value);
  }

  /** Reads a day of the week: its name, or the first three letters of it. */
  static Optional<DayOfWeek> readDayOfWeek(FieldReader in, ParsedValue value) {
    return in.text(value, "a day of the week, for example monday")
        .flatMap(
            text -> {
              DayOfWeek day = DAYS.get(text.toLowerCase(Locale.ROOT));
              return day != null ? Optional.of(day) : in.oneOf(value, longNames());
            });
  }

  /** Reads a time of day. */
  static Optional<LocalTime> readTime(FieldReader in, ParsedValue value) {
    return in.text(value, TIME).flatMap(text -> in.convert(value, text, CalendarReader::time));
  }

  static LocalTime time(String text) {
    try {
      return LocalTime.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(FieldReader.mustBe(TIME, ProblemCollector.quote(text)), e);
    }
  }

  private static Map<String, DayOfWeek> dayNames() {
    Map<String, DayOfWeek> names = new LinkedHashMap<>(longNames());
    for (DayOfWeek day : DayOfWeek.values()) {
      names.put(day.name().substring(0, 3).toLowerCase(Locale.ROOT), day);
    }
    return names;
  }

  private static Map<String, DayOfWeek> longNames() {
    Map<String, DayOfWeek> names = new LinkedHashMap<>();
    for (DayOfWeek day : DayOfWeek.values()) {
      names.put(day.name().toLowerCase(Locale.ROOT), day);
    }
    return names;
  }

  private FieldReader reader(String field) {
    return new FieldReader(problems, rule, field);
  }
}

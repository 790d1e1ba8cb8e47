package io.weir.rules;

import io.weir.internal.Durations;
import io.weir.rule.Rate;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.InvalidValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ParsedValue.ScalarValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the values of one field of one rule; reports a problem and returns empty if it cannot. */
public record FieldReader(ProblemCollector problems, String rule, String field) {
  private static final Pattern WHOLE_NUMBER = Pattern.compile("0|-?[1-9][0-9]*");
  private static final Pattern PERCENTAGE = Pattern.compile("(0|[1-9][0-9]{0,5})%");
  private static final List<String> UNIT_NAMES =
      List.of("second", "minute", "hour", "day", "week", "month", "quarter", "year");

  public void report(SourcePosition at, String reason) {
    boolean hasField = reason.startsWith(field + " ");
    problems.add(at, rule, field, hasField ? reason.substring(field.length() + 1) : reason);
  }

  /** Reads a word, a number or a quoted text, as its characters. */
  public Optional<String> text(ParsedValue value, String expected) {
    if (value instanceof ScalarValue text && !text.isNull()) {
      return Optional.of(text.value());
    }
    return rejectType(value, expected);
  }

  /** Returns the items of a list, or the single value itself. */
  Optional<List<ParsedValue>> oneOrMany(ParsedValue value, String expected) {
    return value instanceof ListValue list
        ? Optional.of(list.items())
        : text(value, expected).map(one -> List.of(value));
  }

  /** Reads all values; returns empty if one of them cannot be read. */
  <T> Optional<List<T>> readAll(
      List<ParsedValue> values, Function<ParsedValue, Optional<T>> reader) {
    List<T> all = new ArrayList<>();
    for (ParsedValue value : values) {
      reader.apply(value).ifPresent(all::add);
    }
    return all.size() == values.size() ? Optional.of(all) : Optional.empty();
  }

  public Optional<MapValue> fields(ParsedValue value, String expected) {
    return value instanceof MapValue fields ? Optional.of(fields) : rejectType(value, expected);
  }

  public Optional<Long> wholeNumber(ParsedValue value) {
    Optional<String> text = text(value, "a whole number, for example 200");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String digits = text.get();
    if (!WHOLE_NUMBER.matcher(digits).matches()) {
      return reject(value, "a whole number, for example 200");
    }
    if (value instanceof ScalarValue scalar && !scalar.unquoted()) {
      return reject(value, "a number without quotes");
    }
    try {
      return Optional.of(Long.parseLong(digits));
    } catch (NumberFormatException e) {
      return reject(value, "at most 1000000000000");
    }
  }

  public Optional<Boolean> booleanValue(ParsedValue value) {
    Optional<String> text = text(value, "true or false");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    boolean plain = value instanceof ScalarValue scalar && scalar.unquoted();
    return switch (text.get()) {
      case "true", "false" ->
          plain
              ? Optional.of(text.get().equals("true"))
              : reject(value, "true or false without quotes");
      default -> reject(value, "true or false");
    };
  }

  Optional<Integer> percent(ParsedValue value) {
    Optional<String> text = text(value, "a whole percentage, for example 50%");
    if (text.isPresent() && !PERCENTAGE.matcher(text.get()).matches()) {
      return reject(value, "a whole percentage, for example 50%");
    }
    return text.map(share -> Integer.parseInt(share.substring(0, share.length() - 1)));
  }

  Optional<Duration> duration(ParsedValue value) {
    return text(value, "a duration, for example 100ms")
        .flatMap(text -> convert(value, text, Durations::parse));
  }

  public <T> Optional<T> oneOf(ParsedValue value, Map<String, T> choices) {
    String expected = "one of " + String.join(", ", choices.keySet());
    Optional<String> text = text(value, expected);
    if (text.isPresent() && !choices.containsKey(text.get())) {
      return reject(value, expected, suggestion(text.get(), choices.keySet()));
    }
    return text.map(choices::get);
  }

  Optional<Rate> rate(ParsedValue value) {
    return text(value, "a rate, for example 100/minute")
        .flatMap(text -> rate(text).or(() -> invalidRate(value, text)));
  }

  private static Optional<Rate> rate(String text) {
    try {
      return Optional.of(Rate.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Optional<Rate> invalidRate(ParsedValue value, String text) {
    int slash = text.indexOf('/');
    String unit = text.substring(slash + 1).trim().toLowerCase(Locale.ROOT);
    if (slash > 0 && unit.matches("[a-z]+") && rate("1/" + unit).isEmpty()) {
      return reject(
          value,
          "a number per second, minute, hour, day or duration, for example 100/minute or 5/30s",
          suggestion(unit, UNIT_NAMES));
    }
    return convert(value, text, Rate::parse);
  }

  /** Converts a value; reports the problem if the function rejects it. */
  <A, B> Optional<B> convert(ParsedValue value, A read, Function<A, B> function) {
    try {
      return Optional.of(function.apply(read));
    } catch (IllegalArgumentException e) {
      String text = String.valueOf(read);
      String reason = String.valueOf(e.getMessage());
      report(value.position(), reason.replace("'" + text + "'", ProblemCollector.quote(text)));
      return Optional.empty();
    }
  }

  /**
   * Returns the message for a value that is not as expected, such as "must be a whole number (was a
   * list), for example 200".
   *
   * @param expected what is expected, may end with ", for example …"
   */
  static String mustBe(String expected, String actual) {
    int example = expected.indexOf(", for example ");
    int end = example < 0 ? expected.length() : example;
    String rule = expected.substring(0, end);
    return "must be " + rule + " (was " + actual + ")" + expected.substring(end);
  }

  private static String suggestion(String text, Collection<String> known) {
    return NameSuggestion.closest(text, known)
        .map(name -> "; did you mean " + name + "?")
        .orElse("");
  }

  private <T> Optional<T> reject(ParsedValue value, String expected) {
    return reject(value, expected, "");
  }

  private <T> Optional<T> reject(ParsedValue value, String expected, String suggestion) {
    String text = value instanceof ScalarValue scalar ? scalar.value() : "";
    report(value.position(), mustBe(expected, ProblemCollector.quote(text)) + suggestion);
    return Optional.empty();
  }

  private <T> Optional<T> rejectType(ParsedValue value, String expected) {
    if (!(value instanceof InvalidValue)) {
      report(value.position(), mustBe(expected, value.typeName()));
    }
    return Optional.empty();
  }
}

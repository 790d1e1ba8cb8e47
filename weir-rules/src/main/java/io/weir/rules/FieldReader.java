package io.weir.rules;

import io.weir.rule.Durations;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the values of one field of one rule; what it cannot read is a problem, and empty. */
public record FieldReader(ProblemCollector problems, String rule, String field) {
  private static final Pattern WHOLE_NUMBER = Pattern.compile("0|-?[1-9][0-9]*");
  private static final Pattern PERCENTAGE = Pattern.compile("(0|[1-9][0-9]{0,5})%");
  private static final List<String> UNIT_NAMES = List.of("second", "minute", "hour", "day");

  public void report(SourcePosition at, String reason) {
    boolean named = reason.startsWith(field + " ");
    problems.add(at, rule, field, named ? reason.substring(field.length() + 1) : reason);
  }

  /** A word, a number or a quoted text, as its characters. */
  public Optional<String> text(ParsedValue value, String example) {
    if (value instanceof ScalarValue text && !text.isNull()) {
      return Optional.of(text.value());
    }
    return rejectType(value, example);
  }

  /** The items of a list, or the one item itself. */
  Optional<List<ParsedValue>> oneOrMany(ParsedValue value, String example) {
    return value instanceof ListValue list
        ? Optional.of(list.items())
        : text(value, example).map(one -> List.of(value));
  }

  /** All of several values, or nothing if one of them cannot be read. */
  <T> Optional<List<T>> readAll(
      List<ParsedValue> values, Function<ParsedValue, Optional<T>> reader) {
    List<T> all = new ArrayList<>();
    for (ParsedValue value : values) {
      reader.apply(value).ifPresent(all::add);
    }
    return all.size() == values.size() ? Optional.of(all) : Optional.empty();
  }

  public Optional<MapValue> fields(ParsedValue value, String example) {
    return value instanceof MapValue fields ? Optional.of(fields) : rejectType(value, example);
  }

  public Optional<Long> wholeNumber(ParsedValue value) {
    Optional<String> text = text(value, "a whole number, such as 200");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String digits = text.get();
    if (!WHOLE_NUMBER.matcher(digits).matches()) {
      return reject(value, "is not a whole number; write digits only, such as 200");
    }
    if (value instanceof ScalarValue written && !written.unquoted()) {
      return reject(value, "is text; write " + ProblemCollector.quote(digits) + " without quotes");
    }
    try {
      return Optional.of(Long.parseLong(digits));
    } catch (NumberFormatException e) {
      return reject(value, "is too large; write at most 1000000000000");
    }
  }

  public Optional<Boolean> booleanValue(ParsedValue value) {
    Optional<String> text = text(value, "true or false");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    boolean plain = value instanceof ScalarValue written && written.unquoted();
    return switch (text.get()) {
      case "true", "false" ->
          plain
              ? Optional.of(text.get().equals("true"))
              : reject(value, "is text; write " + text.get() + " without quotes");
      default -> reject(value, "is neither true nor false; write one of them");
    };
  }

  Optional<Integer> percent(ParsedValue value) {
    Optional<String> text = text(value, "a share, such as 50%");
    if (text.isPresent() && !PERCENTAGE.matcher(text.get()).matches()) {
      return reject(value, "is not a share; write a whole number and %, such as 50%");
    }
    return text.map(share -> Integer.parseInt(share.substring(0, share.length() - 1)));
  }

  Optional<Duration> duration(ParsedValue value) {
    return text(value, "a duration, such as 100ms")
        .flatMap(t -> convert(value, t, Durations::parse));
  }

  public <T> Optional<T> oneOf(ParsedValue value, Map<String, T> choices) {
    Optional<String> text = text(value, "one of " + String.join(", ", choices.keySet()));
    if (text.isPresent() && !choices.containsKey(text.get())) {
      return reject(value, "does not exist; " + NameSuggestion.hint(text.get(), choices.keySet()));
    }
    return text.map(choices::get);
  }

  Optional<Rate> rate(ParsedValue value) {
    return text(value, "how many per how long, such as 100/minute")
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
          "has no unit "
              + ProblemCollector.quote(unit)
              + NameSuggestion.closest(unit, UNIT_NAMES)
                  .map(u -> "; did you mean " + u + "? Write")
                  .orElse("; write")
              + " second, minute, hour, day or a duration such as 30s");
    }
    return convert(value, text, Rate::parse);
  }

  /** What a function makes of something read; what it refuses is a problem. */
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

  private <T> Optional<T> reject(ParsedValue value, String reason) {
    String text = value instanceof ScalarValue written ? written.value() : "";
    report(value.position(), ProblemCollector.quote(text) + " " + reason);
    return Optional.empty();
  }

  private <T> Optional<T> rejectType(ParsedValue value, String example) {
    if (!(value instanceof InvalidValue)) {
      report(value.position(), "is " + value.typeName() + "; write " + example);
    }
    return Optional.empty();
  }
}

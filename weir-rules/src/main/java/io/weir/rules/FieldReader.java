package io.weir.rules;

import io.weir.rule.Durations;
import io.weir.rule.Rate;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Items;
import io.weir.rules.text.Written.Refused;
import io.weir.rules.text.Written.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the values of one field of one rule; what it cannot read is a problem, and empty. */
public record FieldReader(Problems problems, String rule, String field) {
  private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]*");
  private static final Pattern SHARE = Pattern.compile("(0|[1-9][0-9]{0,5})%");
  private static final List<String> UNITS = List.of("second", "minute", "hour", "day");

  public void wrong(Place at, String reason) {
    boolean named = reason.startsWith(field + " ");
    problems.add(at, rule, field, named ? reason.substring(field.length() + 1) : reason);
  }

  /** A word, a number or a quoted text, as its characters. */
  public Optional<String> text(Written value, String example) {
    if (value instanceof Text text && !text.isNull()) {
      return Optional.of(text.value());
    }
    return refused(value, example);
  }

  /** The items of a list, or the one item itself. */
  Optional<List<Written>> several(Written value, String example) {
    return value instanceof Items list
        ? Optional.of(list.items())
        : text(value, example).map(one -> List.of(value));
  }

  /** All of several values, or nothing if one of them cannot be read. */
  <T> Optional<List<T>> all(List<Written> values, Function<Written, Optional<T>> reader) {
    List<T> all = new ArrayList<>();
    for (Written value : values) {
      reader.apply(value).ifPresent(all::add);
    }
    return all.size() == values.size() ? Optional.of(all) : Optional.empty();
  }

  public Optional<Fields> fields(Written value, String example) {
    return value instanceof Fields fields ? Optional.of(fields) : refused(value, example);
  }

  public Optional<Long> whole(Written value) {
    Optional<String> text = text(value, "a whole number, such as 200");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String digits = text.get();
    if (!WHOLE.matcher(digits).matches()) {
      return refuse(value, "is not a whole number; write digits only, such as 200");
    }
    if (value instanceof Text written && !written.plain()) {
      return refuse(value, "is text; write " + Problems.quote(digits) + " without quotes");
    }
    try {
      return Optional.of(Long.parseLong(digits));
    } catch (NumberFormatException e) {
      return refuse(value, "is too large; write at most 1000000000000");
    }
  }

  public Optional<Boolean> truth(Written value) {
    Optional<String> text = text(value, "true or false");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    boolean plain = value instanceof Text written && written.plain();
    return switch (text.get()) {
      case "true", "false" ->
          plain
              ? Optional.of(text.get().equals("true"))
              : refuse(value, "is text; write " + text.get() + " without quotes");
      default -> refuse(value, "is neither true nor false; write one of them");
    };
  }

  Optional<Integer> percent(Written value) {
    Optional<String> text = text(value, "a share, such as 50%");
    if (text.isPresent() && !SHARE.matcher(text.get()).matches()) {
      return refuse(value, "is not a share; write a whole number and %, such as 50%");
    }
    return text.map(share -> Integer.parseInt(share.substring(0, share.length() - 1)));
  }

  Optional<Duration> duration(Written value) {
    return text(value, "a duration, such as 100ms").flatMap(t -> tried(value, t, Durations::parse));
  }

  public <T> Optional<T> oneOf(Written value, Map<String, T> choices) {
    Optional<String> text = text(value, "one of " + String.join(", ", choices.keySet()));
    if (text.isPresent() && !choices.containsKey(text.get())) {
      return refuse(value, "does not exist; " + Nearest.hint(text.get(), choices.keySet()));
    }
    return text.map(choices::get);
  }

  Optional<Rate> rate(Written value) {
    return text(value, "how many per how long, such as 100/minute")
        .flatMap(text -> rate(text).or(() -> noRate(value, text)));
  }

  private static Optional<Rate> rate(String text) {
    try {
      return Optional.of(Rate.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private Optional<Rate> noRate(Written value, String text) {
    int slash = text.indexOf('/');
    String unit = text.substring(slash + 1).trim().toLowerCase(Locale.ROOT);
    if (slash > 0 && unit.matches("[a-z]+") && rate("1/" + unit).isEmpty()) {
      return refuse(
          value,
          "has no unit "
              + Problems.quote(unit)
              + Nearest.to(unit, UNITS)
                  .map(u -> "; did you mean " + u + "? Write")
                  .orElse("; write")
              + " second, minute, hour, day or a duration such as 30s");
    }
    return tried(value, text, Rate::parse);
  }

  /** What a function makes of something read; what it refuses is a problem. */
  <A, B> Optional<B> tried(Written value, A read, Function<A, B> function) {
    try {
      return Optional.of(function.apply(read));
    } catch (IllegalArgumentException e) {
      String text = String.valueOf(read);
      String reason = String.valueOf(e.getMessage());
      wrong(value.at(), reason.replace("'" + text + "'", Problems.quote(text)));
      return Optional.empty();
    }
  }

  private <T> Optional<T> refuse(Written value, String reason) {
    String text = value instanceof Text written ? written.value() : "";
    wrong(value.at(), Problems.quote(text) + " " + reason);
    return Optional.empty();
  }

  private <T> Optional<T> refused(Written value, String example) {
    if (!(value instanceof Refused)) {
      wrong(value.at(), "is " + value.kind() + "; write " + example);
    }
    return Optional.empty();
  }
}

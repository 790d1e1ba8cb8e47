package io.weir.rules.envoy;

import io.weir.rule.Rate;
import io.weir.rules.FieldReader;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.Written;
import io.weir.rules.text.Written.Fields;
import io.weir.rules.text.Written.Items;
import io.weir.rules.text.Written.Text;
import io.weir.rules.text.Yaml;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads a configuration of envoyproxy/ratelimit, and collects what is wrong with it. */
final class EnvoyReader {
  private static final long MOST = 0xFFFF_FFFFL;
  private static final List<String> TOP = List.of("domain", "descriptors");

  /** What is said of metrics has no part in limits. */
  private static final List<String> OF_DESCRIPTOR =
      List.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "share_threshold",
          "detailed_metric",
          "value_to_metric");

  private static final List<String> OF_LIMIT =
      List.of("unit", "requests_per_unit", "unlimited", "name", "replaces");

  private static final Map<String, Duration> UNITS = new LinkedHashMap<>();

  static {
    UNITS.put("second", Duration.ofSeconds(1));
    UNITS.put("minute", Duration.ofMinutes(1));
    UNITS.put("hour", Duration.ofHours(1));
    UNITS.put("day", Duration.ofDays(1));
    UNITS.put("week", Duration.ofDays(7));
    UNITS.put("month", Duration.ofDays(30));
    UNITS.put("year", Duration.ofDays(365));
  }

  private final Problems problems;

  EnvoyReader(Problems problems) {
    this.problems = problems;
  }

  /** A domain and its descriptors. */
  record Domain(Place at, String name, List<Limited> descriptors) {}

  /** The domain of a text; of use only if there are no problems. */
  Domain read(String text) {
    Optional<Written> tree = Yaml.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(Place.START, "nothing is written here; write domain and descriptors");
    }
    Fields map =
        new FieldReader(problems, "", "")
            .fields(tree.get(), "domain and descriptors")
            .orElseThrow(problems::exception);
    EnvoyFields top = EnvoyFields.of(problems, "", map, TOP);
    String domain = top.text("domain", "a name, such as edge");
    if (domain.isEmpty()) {
      top.wrong("domain", "is missing; write one, such as domain: edge");
    }
    return new Domain(map.at(), domain, descriptors(top));
  }

  private List<Limited> descriptors(EnvoyFields outer) {
    Optional<Written> value = outer.value("descriptors");
    if (value.isEmpty()) {
      return List.of();
    }
    if (!(value.get() instanceof Items items)) {
      outer.wrong("descriptors", "is " + value.get().kind() + "; write a list of descriptors");
      return List.of();
    }
    List<Limited> all = new ArrayList<>();
    Map<List<String>, Place> seen = new HashMap<>();
    for (Written item : items.items()) {
      Optional<Limited> read =
          outer
              .in("descriptors")
              .fields(item, "a map with a key, such as {key: remote_address}")
              .flatMap(map -> descriptor(map, outer.path()));
      if (read.isPresent()) {
        Limited one = read.get();
        Place first = seen.putIfAbsent(List.of(one.key(), one.value()), one.at());
        if (first == null) {
          all.add(one);
        } else {
          String reason = "stands already in line " + first.line() + "; keep one";
          problems.add(one.at(), joined(outer.path(), one.label()), "", reason);
        }
      }
    }
    return all;
  }

  private Optional<Limited> descriptor(Fields map, String outer) {
    EnvoyFields unnamed = EnvoyFields.of(problems, outer, map, OF_DESCRIPTOR);
    String key = unnamed.text("key", "a key, such as remote_address");
    if (key.isEmpty()) {
      unnamed.wrong("key", "is missing; write one, such as remote_address");
      return Optional.empty();
    }
    String value = unnamed.text("value", "a value, or leave it out for any");
    String path = joined(outer, value.isEmpty() ? key : key + "=" + value);
    EnvoyFields fields = new EnvoyFields(problems, path, map, unnamed.known());
    boolean shared = fields.truth("share_threshold");
    if (shared && !value.endsWith("*")) {
      fields.wrong("share_threshold", "goes with a value that ends with *; leave it out");
    }
    return Optional.of(
        new Limited(
            map.at(),
            key,
            value,
            fields.value("rate_limit").flatMap(limit -> limit(limit, fields)),
            fields.truth("shadow_mode"),
            shared,
            descriptors(fields)));
  }

  private Optional<EnvoyLimit> limit(Written written, EnvoyFields descriptor) {
    Optional<Fields> map =
        descriptor
            .in("rate_limit")
            .fields(written, "a map, such as {unit: minute, requests_per_unit: 100}");
    if (map.isEmpty()) {
      return Optional.empty();
    }
    EnvoyFields fields = EnvoyFields.of(problems, descriptor.path(), map.get(), OF_LIMIT);
    if (fields.value("replaces").isPresent()) {
      fields.wrong(
          "replaces",
          "lets one descriptor of a call lift the limit of another, which no rule can say;"
              + " leave it out, and write the limits so that both can hold");
    }
    String name = fields.text("name", "a name");
    if (fields.truth("unlimited")) {
      if (fields.value("unit").isPresent()) {
        fields.wrong("unit", "is no part of what is unlimited; leave it out");
      }
      return Optional.of(new EnvoyLimit(written.at(), Optional.empty(), name));
    }
    Optional<Duration> unit = unit(fields);
    Optional<Long> permits = permits(fields);
    return unit.flatMap(period -> permits.map(number -> new Rate(number, period)))
        .map(rate -> new EnvoyLimit(written.at(), Optional.of(rate), name));
  }

  private static Optional<Duration> unit(EnvoyFields fields) {
    Optional<Written> value = fields.value("unit");
    if (value.isEmpty()) {
      fields.wrong("unit", "is missing; write one of " + String.join(", ", UNITS.keySet()));
      return Optional.empty();
    }
    Written any =
        value.get() instanceof Text text
            ? new Text(text.at(), text.value().toLowerCase(Locale.ROOT), text.plain())
            : value.get();
    return fields.in("unit").oneOf(any, UNITS);
  }

  private static Optional<Long> permits(EnvoyFields fields) {
    String field = "requests_per_unit";
    Optional<Written> value = fields.value(field);
    if (value.isEmpty()) {
      fields.wrong(field, "is missing; write a number, or 0 to refuse everything");
      return Optional.empty();
    }
    Optional<Long> number = fields.in(field).whole(value.get());
    if (number.isPresent() && (number.get() < 0 || number.get() > MOST)) {
      fields.wrong(field, "of " + number.get() + " cannot be; write 0 to " + MOST);
      return Optional.empty();
    }
    return number;
  }

  private static String joined(String path, String label) {
    return path.isEmpty() ? label : path + "/" + label;
  }
}

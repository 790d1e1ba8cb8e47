package io.weir.rules.envoy;

import io.weir.rule.Rate;
import io.weir.rules.FieldReader;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ParsedValue.ListValue;
import io.weir.rules.text.ParsedValue.MapValue;
import io.weir.rules.text.ParsedValue.ScalarValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import io.weir.rules.text.YamlReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads a configuration of envoyproxy/ratelimit, and collects its problems. */
final class EnvoyReader {
  private static final long MAX_REQUESTS_PER_UNIT = 0xFFFF_FFFFL;
  private static final List<String> TOP_LEVEL_FIELDS = List.of("domain", "descriptors");

  /** Includes metrics settings, which are accepted and ignored. */
  private static final List<String> DESCRIPTOR_FIELDS =
      List.of(
          "key",
          "value",
          "rate_limit",
          "descriptors",
          "shadow_mode",
          "share_threshold",
          "detailed_metric",
          "value_to_metric");

  private static final List<String> LIMIT_FIELDS =
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

  private final ProblemCollector problems;

  EnvoyReader(ProblemCollector problems) {
    this.problems = problems;
  }

  /** A domain and its descriptors. */
  record EnvoyDomain(
      SourcePosition position, String name, List<ConfiguredDescriptor> descriptors) {}

  /** Reads the domain of a text. The result must only be used if no problem was reported. */
  EnvoyDomain read(String text) {
    Optional<ParsedValue> tree = YamlReader.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(
          SourcePosition.START, "must be a map with domain and descriptors (was empty)");
    }
    MapValue map =
        new FieldReader(problems, "", "")
            .fields(tree.get(), "a map with domain and descriptors")
            .orElseThrow(problems::toException);
    EnvoyFields top = EnvoyFields.of(problems, "", map, TOP_LEVEL_FIELDS);
    String domain = top.text("domain", "a name, for example edge");
    if (domain.isEmpty()) {
      top.report("domain", "must be set, for example edge");
    }
    return new EnvoyDomain(map.position(), domain, readDescriptors(top));
  }

  private List<ConfiguredDescriptor> readDescriptors(EnvoyFields outer) {
    Optional<ParsedValue> value = outer.value("descriptors");
    if (value.isEmpty()) {
      return List.of();
    }
    if (!(value.get() instanceof ListValue items)) {
      outer.report(
          "descriptors", "must be a list of descriptors (was " + value.get().typeName() + ")");
      return List.of();
    }
    List<ConfiguredDescriptor> all = new ArrayList<>();
    Map<List<String>, SourcePosition> seen = new HashMap<>();
    for (ParsedValue item : items.items()) {
      Optional<ConfiguredDescriptor> read =
          outer
              .fieldReader("descriptors")
              .fields(item, "a map with a key, for example {key: remote_address}")
              .flatMap(map -> readDescriptor(map, outer.path()));
      if (read.isPresent()) {
        ConfiguredDescriptor one = read.get();
        SourcePosition first = seen.putIfAbsent(List.of(one.key(), one.value()), one.position());
        if (first == null) {
          all.add(one);
        } else {
          String reason = "must occur once (was already in line " + first.line() + ")";
          problems.add(one.position(), joinPath(outer.path(), one.label()), "", reason);
        }
      }
    }
    return all;
  }

  private Optional<ConfiguredDescriptor> readDescriptor(MapValue map, String outer) {
    EnvoyFields unnamed = EnvoyFields.of(problems, outer, map, DESCRIPTOR_FIELDS);
    String key = unnamed.text("key", "a key, for example remote_address");
    if (key.isEmpty()) {
      unnamed.report("key", "must be set, for example remote_address");
      return Optional.empty();
    }
    String value = unnamed.text("value", "a value, for example 10.0.0.1, or left out to match any");
    String path = joinPath(outer, value.isEmpty() ? key : key + "=" + value);
    EnvoyFields fields = new EnvoyFields(problems, path, map, unnamed.known());
    boolean shared = fields.booleanValue("share_threshold");
    if (shared && !value.endsWith("*")) {
      fields.report("share_threshold", "must be left out unless the value ends with *");
    }
    return Optional.of(
        new ConfiguredDescriptor(
            map.position(),
            key,
            value,
            fields.value("rate_limit").flatMap(limit -> readLimit(limit, fields)),
            fields.booleanValue("shadow_mode"),
            shared,
            readDescriptors(fields)));
  }

  private Optional<EnvoyLimit> readLimit(ParsedValue written, EnvoyFields descriptor) {
    Optional<MapValue> map =
        descriptor
            .fieldReader("rate_limit")
            .fields(written, "a map, for example {unit: minute, requests_per_unit: 100}");
    if (map.isEmpty()) {
      return Optional.empty();
    }
    EnvoyFields fields = EnvoyFields.of(problems, descriptor.path(), map.get(), LIMIT_FIELDS);
    if (fields.value("replaces").isPresent()) {
      fields.report(
          "replaces",
          "must be left out: a rule cannot replace the limit of another descriptor;"
              + " set limits that can apply together");
    }
    String name = fields.text("name", "a name");
    if (fields.booleanValue("unlimited")) {
      if (fields.value("unit").isPresent()) {
        fields.report("unit", "must be left out if unlimited is true");
      }
      return Optional.of(new EnvoyLimit(written.position(), Optional.empty(), name));
    }
    Optional<Duration> unit = readUnit(fields);
    Optional<Long> permits = readPermits(fields);
    return unit.flatMap(period -> permits.map(number -> new Rate(number, period)))
        .map(rate -> new EnvoyLimit(written.position(), Optional.of(rate), name));
  }

  private static Optional<Duration> readUnit(EnvoyFields fields) {
    Optional<ParsedValue> value = fields.value("unit");
    if (value.isEmpty()) {
      fields.report("unit", "must be set to one of " + String.join(", ", UNITS.keySet()));
      return Optional.empty();
    }
    ParsedValue lowerCase =
        value.get() instanceof ScalarValue text
            ? new ScalarValue(
                text.position(), text.value().toLowerCase(Locale.ROOT), text.unquoted())
            : value.get();
    return fields.fieldReader("unit").oneOf(lowerCase, UNITS);
  }

  private static Optional<Long> readPermits(EnvoyFields fields) {
    String field = "requests_per_unit";
    Optional<ParsedValue> value = fields.value(field);
    if (value.isEmpty()) {
      fields.report(field, "must be set, for example 100, or 0 to refuse everything");
      return Optional.empty();
    }
    Optional<Long> number = fields.fieldReader(field).wholeNumber(value.get());
    if (number.isPresent() && (number.get() < 0 || number.get() > MAX_REQUESTS_PER_UNIT)) {
      fields.report(
          field, "must be between 0 and " + MAX_REQUESTS_PER_UNIT + " (was " + number.get() + ")");
      return Optional.empty();
    }
    return number;
  }

  private static String joinPath(String path, String label) {
    return path.isEmpty() ? label : path + "/" + label;
  }
}

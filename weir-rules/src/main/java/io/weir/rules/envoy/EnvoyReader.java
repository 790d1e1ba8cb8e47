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

/** Reads a configuration of envoyproxy/ratelimit, and collects what is wrong with it. */
final class EnvoyReader {
  private static final long MAX_REQUESTS_PER_UNIT = 0xFFFF_FFFFL;
  private static final List<String> TOP_LEVEL_FIELDS = List.of("domain", "descriptors");

  /** What is said of metrics has no part in limits. */
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

  /** The domain of a text; of use only if there are no problems. */
  EnvoyDomain read(String text) {
    Optional<ParsedValue> tree = YamlReader.read(text, problems);
    if (tree.isEmpty()) {
      throw problems.fatal(
          SourcePosition.START, "nothing is written here; write domain and descriptors");
    }
    MapValue map =
        new FieldReader(problems, "", "")
            .fields(tree.get(), "domain and descriptors")
            .orElseThrow(problems::toException);
    EnvoyFields top = EnvoyFields.of(problems, "", map, TOP_LEVEL_FIELDS);
    String domain = top.text("domain", "a name, such as edge");
    if (domain.isEmpty()) {
      top.report("domain", "is missing; write one, such as domain: edge");
    }
    return new EnvoyDomain(map.position(), domain, readDescriptors(top));
  }

  private List<ConfiguredDescriptor> readDescriptors(EnvoyFields outer) {
    Optional<ParsedValue> value = outer.value("descriptors");
    if (value.isEmpty()) {
      return List.of();
    }
    if (!(value.get() instanceof ListValue items)) {
      outer.report("descriptors", "is " + value.get().typeName() + "; write a list of descriptors");
      return List.of();
    }
    List<ConfiguredDescriptor> all = new ArrayList<>();
    Map<List<String>, SourcePosition> seen = new HashMap<>();
    for (ParsedValue item : items.items()) {
      Optional<ConfiguredDescriptor> read =
          outer
              .fieldReader("descriptors")
              .fields(item, "a map with a key, such as {key: remote_address}")
              .flatMap(map -> readDescriptor(map, outer.path()));
      if (read.isPresent()) {
        ConfiguredDescriptor one = read.get();
        SourcePosition first = seen.putIfAbsent(List.of(one.key(), one.value()), one.position());
        if (first == null) {
          all.add(one);
        } else {
          String reason = "stands already in line " + first.line() + "; keep one";
          problems.add(one.position(), joinPath(outer.path(), one.label()), "", reason);
        }
      }
    }
    return all;
  }

  private Optional<ConfiguredDescriptor> readDescriptor(MapValue map, String outer) {
    EnvoyFields unnamed = EnvoyFields.of(problems, outer, map, DESCRIPTOR_FIELDS);
    String key = unnamed.text("key", "a key, such as remote_address");
    if (key.isEmpty()) {
      unnamed.report("key", "is missing; write one, such as remote_address");
      return Optional.empty();
    }
    String value = unnamed.text("value", "a value, or leave it out for any");
    String path = joinPath(outer, value.isEmpty() ? key : key + "=" + value);
    EnvoyFields fields = new EnvoyFields(problems, path, map, unnamed.known());
    boolean shared = fields.booleanValue("share_threshold");
    if (shared && !value.endsWith("*")) {
      fields.report("share_threshold", "goes with a value that ends with *; leave it out");
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
            .fields(written, "a map, such as {unit: minute, requests_per_unit: 100}");
    if (map.isEmpty()) {
      return Optional.empty();
    }
    EnvoyFields fields = EnvoyFields.of(problems, descriptor.path(), map.get(), LIMIT_FIELDS);
    if (fields.value("replaces").isPresent()) {
      fields.report(
          "replaces",
          "lets one descriptor of a call lift the limit of another, which no rule can say;"
              + " leave it out, and write the limits so that both can hold");
    }
    String name = fields.text("name", "a name");
    if (fields.booleanValue("unlimited")) {
      if (fields.value("unit").isPresent()) {
        fields.report("unit", "is no part of what is unlimited; leave it out");
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
      fields.report("unit", "is missing; write one of " + String.join(", ", UNITS.keySet()));
      return Optional.empty();
    }
    ParsedValue any =
        value.get() instanceof ScalarValue text
            ? new ScalarValue(
                text.position(), text.value().toLowerCase(Locale.ROOT), text.unquoted())
            : value.get();
    return fields.fieldReader("unit").oneOf(any, UNITS);
  }

  private static Optional<Long> readPermits(EnvoyFields fields) {
    String field = "requests_per_unit";
    Optional<ParsedValue> value = fields.value(field);
    if (value.isEmpty()) {
      fields.report(field, "is missing; write a number, or 0 to refuse everything");
      return Optional.empty();
    }
    Optional<Long> number = fields.fieldReader(field).wholeNumber(value.get());
    if (number.isPresent() && (number.get() < 0 || number.get() > MAX_REQUESTS_PER_UNIT)) {
      fields.report(
          field, "of " + number.get() + " cannot be; write 0 to " + MAX_REQUESTS_PER_UNIT);
      return Optional.empty();
    }
    return number;
  }

  private static String joinPath(String path, String label) {
    return path.isEmpty() ? label : path + "/" + label;
  }
}

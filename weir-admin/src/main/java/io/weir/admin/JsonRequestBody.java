package io.weir.admin;

import io.vertx.core.buffer.Buffer;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.NameSuggestion;
import io.weir.rules.text.ParsedValue;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.TextDecoder;
import io.weir.rules.text.YamlReader;
import io.weir.web.InvalidInputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A request body that is a small JSON object with known text fields. */
record JsonRequestBody(Map<String, String> fields, String example) {

  /**
   * Parses a request body.
   *
   * @param example a valid body, shown in error messages
   */
  static JsonRequestBody read(Buffer body, List<String> known, String example)
      throws InvalidInputException {
    ProblemCollector problems = new ProblemCollector("body");
    try {
      ParsedValue parsed =
          YamlReader.read(TextDecoder.decode(body.getBytes(), problems), problems).orElse(null);
      if (problems.hasProblems()) {
        throw problems.toException();
      }
      Map<String, String> fields = new LinkedHashMap<>();
      if (!(parsed instanceof ParsedValue.MapValue object)) {
        throw new InvalidInputException("the body must be a JSON object, for example " + example);
      }
      for (ParsedValue.MapEntry field : object.fields()) {
        if (!known.contains(field.name())) {
          throw new InvalidInputException(
              ProblemCollector.quote(field.name())
                  + " is not a known field; "
                  + NameSuggestion.hint(field.name(), known));
        }
        if (!(field.value() instanceof ParsedValue.ScalarValue text) || text.isNull()) {
          throw new InvalidInputException(field.name() + " must be text, for example " + example);
        }
        fields.put(field.name(), text.value());
      }
      return new JsonRequestBody(fields, example);
    } catch (InvalidConfigurationException e) {
      throw new InvalidInputException(e.problems().get(0) + "; send " + example);
    }
  }

  String text(String name) throws InvalidInputException {
    String value = fields.get(name);
    if (value == null) {
      throw new InvalidInputException(name + " is missing; send " + example);
    }
    return value;
  }

  String text(String name, String defaultValue) {
    return fields.getOrDefault(name, defaultValue);
  }
}

package io.weir.server.admin;

import io.vertx.core.buffer.Buffer;
import io.weir.rules.text.Nearest;
import io.weir.rules.text.Problems;
import io.weir.rules.text.TextException;
import io.weir.rules.text.Unprintable;
import io.weir.rules.text.Written;
import io.weir.rules.text.Yaml;
import io.weir.server.web.BadInput;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small JSON object as it is sent: names and texts, of which all must be known. */
record Form(Map<String, String> fields, String example) {

  /**
   * Reads one.
   *
   * @param example one that can be, to be shown where this one cannot
   */
  static Form read(Buffer body, List<String> known, String example) throws BadInput {
    Problems problems = new Problems("body");
    try {
      Written top = Yaml.read(Unprintable.text(body.getBytes(), problems), problems).orElse(null);
      if (problems.any()) {
        throw problems.exception();
      }
      Map<String, String> fields = new LinkedHashMap<>();
      if (!(top instanceof Written.Fields all)) {
        throw new BadInput("the body is no object; send " + example);
      }
      for (Written.Field field : all.fields()) {
        if (!known.contains(field.name())) {
          throw new BadInput(
              Problems.quote(field.name()) + " is not known; " + Nearest.hint(field.name(), known));
        }
        if (!(field.value() instanceof Written.Text text) || text.isNull()) {
          throw new BadInput(field.name() + " is no text; send " + example);
        }
        fields.put(field.name(), text.value());
      }
      return new Form(fields, example);
    } catch (TextException e) {
      throw new BadInput(e.problems().get(0) + "; send " + example);
    }
  }

  String text(String name) throws BadInput {
    String value = fields.get(name);
    if (value == null) {
      throw new BadInput(name + " is missing; send " + example);
    }
    return value;
  }

  String text(String name, String otherwise) {
    return fields.getOrDefault(name, otherwise);
  }
}

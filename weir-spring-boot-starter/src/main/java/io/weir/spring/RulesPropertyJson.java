package io.weir.spring;

import io.weir.internal.JsonText;
import io.weir.rules.text.ConfigurationProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.io.Resource;

/** Writes rules from properties as JSON, one value per line, and records each line's origin. */
final class RulesPropertyJson {
  private static final Pattern NUMBER_OR_BOOLEAN = Pattern.compile("\\d{1,18}|true|false");
  private static final Pattern LINE_REFERENCE = Pattern.compile("in line (\\d+)");

  /** Properties represent an empty list or map as an empty string. */
  private static final Map<String, String> EMPTY_VALUES =
      Map.of("per", "[]", "overrides", "[]", "match", "{}", "regions", "{}");

  private final StringBuilder out = new StringBuilder("{\"rules\":");
  private final List<@Nullable Origin> origins = new ArrayList<>();

  private RulesPropertyJson() {}

  static RulesPropertyJson of(PropertyTree rules) {
    RulesPropertyJson text = new RulesPropertyJson();
    text.write("rules", rules);
    text.out.append('}');
    return text;
  }

  private void write(String name, PropertyTree node) {
    String value = node.value();
    if (value != null) {
      if (NUMBER_OR_BOOLEAN.matcher(value).matches()) {
        out.append(value);
      } else if (value.isEmpty() && EMPTY_VALUES.containsKey(name)) {
        out.append(EMPTY_VALUES.get(name));
      } else {
        JsonText.quote(out, value);
      }
      return;
    }
    out.append(node.isList() ? '[' : '{');
    boolean first = true;
    for (Map.Entry<String, PropertyTree> child : node.children().entrySet()) {
      out.append(first ? "\n" : ",\n");
      origins.add(child.getValue().origin());
      first = false;
      if (!node.isList()) {
        JsonText.quote(out, child.getKey()).append(": ");
      }
      write(node.isList() ? name : child.getKey(), child.getValue());
    }
    out.append(node.isList() ? ']' : '}');
  }

  /** Returns a problem of this JSON with the position in the application's own file. */
  ConfigurationProblem withOrigin(ConfigurationProblem problem) {
    TextResourceOrigin at = origin(problem.line());
    String reason =
        LINE_REFERENCE
            .matcher(problem.reason())
            .replaceAll(
                line -> {
                  TextResourceOrigin other = origin(Integer.parseInt(line.group(1)));
                  return other == null ? "before" : "in line " + line(other);
                });
    return at == null
        ? new ConfigurationProblem("weir.rules", 0, 0, problem.rule(), problem.field(), reason)
        : new ConfigurationProblem(
            file(at), line(at), column(at), problem.rule(), problem.field(), reason);
  }

  private @Nullable TextResourceOrigin origin(int line) {
    int index = line - 2; // line 1 is the opening of the document
    Origin origin = index < 0 || index >= origins.size() ? null : origins.get(index);
    origin = origin instanceof PropertySourceOrigin wrapper ? wrapper.getOrigin() : origin;
    return origin instanceof TextResourceOrigin text && text.getLocation() != null ? text : null;
  }

  private static String file(TextResourceOrigin origin) {
    Resource resource = origin.getResource();
    String name = resource == null ? null : resource.getFilename();
    return name == null ? "weir.rules" : name;
  }

  private static int line(TextResourceOrigin origin) {
    TextResourceOrigin.Location at = origin.getLocation();
    return at == null ? 0 : at.getLine() + 1;
  }

  private static int column(TextResourceOrigin origin) {
    TextResourceOrigin.Location at = origin.getLocation();
    return at == null ? 0 : at.getColumn() + 1;
  }

  @Override
  public String toString() {
    return out.toString();
  }
}

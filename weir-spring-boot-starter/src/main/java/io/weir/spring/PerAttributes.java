package io.weir.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Per what the application's own code counts, as {@link RateLimit#per} writes it.
 *
 * @param attributes what a rule counts per; none of them is ever missing
 * @param expressions the attributes that expressions say, and those
 */
record PerAttributes(List<String> attributes, Map<String, String> expressions) {

  /**
   * @param own the names of {@code weir.attributes}
   * @throws IllegalArgumentException saying what is wrong, and what to write instead
   */
  static PerAttributes parse(List<String> written, Set<String> own, SpelExpressions parser) {
    List<String> attributes = new ArrayList<>();
    Map<String, String> expressions = new LinkedHashMap<>();
    for (String per : written) {
      if (per.startsWith("#{")) {
        parser.parse(per);
        String name = AttributeNames.EXPRESSION_PREFIX + Integer.toHexString(per.hashCode());
        expressions.put(name, per);
        attributes.add(name + AttributeNames.OR_IP_SUFFIX);
        continue;
      }
      String name = AttributeNames.countingName(per);
      if (!AttributeNames.isKnown(name, own)) {
        throw new IllegalArgumentException(
            "per: '"
                + per
                + "' is nothing a request here has; "
                + AttributeNames.suggestion(per, own));
      }
      attributes.add(name);
    }
    return new PerAttributes(attributes, expressions);
  }
}

package io.weir.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The parsed form of {@link RateLimit#per}: the attributes that a rule counts by.
 *
 * @param attributes the attributes; each has a value in every request
 * @param expressions SpEL expressions by the name of the attribute they compute
 */
record PerAttributes(List<String> attributes, Map<String, String> expressions) {

  /**
   * @param customAttributes the names of {@code weir.attributes}
   * @throws IllegalArgumentException if a value is not a known attribute or a valid expression
   */
  static PerAttributes parse(
      List<String> values, Set<String> customAttributes, SpelExpressions parser) {
    List<String> attributes = new ArrayList<>();
    Map<String, String> expressions = new LinkedHashMap<>();
    for (String per : values) {
      if (per.startsWith("#{")) {
        parser.parse(per);
        String name = AttributeNames.EXPRESSION_PREFIX + Integer.toHexString(per.hashCode());
        expressions.put(name, per);
        attributes.add(name + AttributeNames.OR_IP_SUFFIX);
        continue;
      }
      String name = AttributeNames.countingName(per);
      if (!AttributeNames.isKnown(name, customAttributes)) {
        throw new IllegalArgumentException(
            "per: unknown attribute '"
                + per
                + "'; "
                + AttributeNames.suggestion(per, customAttributes));
      }
      attributes.add(name);
    }
    return new PerAttributes(attributes, expressions);
  }
}

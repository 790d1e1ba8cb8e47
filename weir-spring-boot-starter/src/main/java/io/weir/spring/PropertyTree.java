package io.weir.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.origin.Origin;

/** Flat properties as the tree they were written as: {@code rules[0].per[1]} in {@code rules}. */
final class PropertyTree {
  private final Map<String, PropertyTree> children = new LinkedHashMap<>();
  private boolean list;
  private @Nullable String value;
  private @Nullable Origin origin;

  /** Adds a property whose name has so many elements above this tree. */
  void add(ConfigurationPropertyName name, int above, String text, @Nullable Origin from) {
    PropertyTree node = this;
    for (int i = above; i < name.getNumberOfElements(); i++) {
      node.list = name.isNumericIndex(i);
      node = node.child(name.getElement(i, Form.ORIGINAL));
      if (node.isSelector(name, i)) {
        StringBuilder rest = new StringBuilder();
        int last = i + 1;
        for (; last < name.getNumberOfElements() && !name.isNumericIndex(last); last++) {
          rest.append(rest.length() == 0 ? "" : ".").append(name.getElement(last, Form.ORIGINAL));
        }
        if (rest.length() > 0) {
          node = node.child(rest.toString());
          i = last - 1;
        }
      }
    }
    node.value = text;
    node.origin = from;
  }

  /** Names of attributes have dots, which properties take for levels: {@code header.x-tenant}. */
  private boolean isSelector(ConfigurationPropertyName name, int i) {
    String element = name.getElement(i, Form.UNIFORM);
    return element.equals("match") || element.equals("when");
  }

  private PropertyTree child(String name) {
    return children.computeIfAbsent(name, n -> new PropertyTree());
  }

  Map<String, PropertyTree> children() {
    return children;
  }

  boolean isList() {
    return list;
  }

  /** The value of a leaf; null above. */
  @Nullable String value() {
    return value;
  }

  /** Where it was written, or its first part was; null if that is not known. */
  @Nullable Origin origin() {
    Origin found = origin;
    for (PropertyTree child : children.values()) {
      found = found == null ? child.origin() : found;
    }
    return found;
  }
}

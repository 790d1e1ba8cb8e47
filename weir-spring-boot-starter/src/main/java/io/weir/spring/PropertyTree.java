package io.weir.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.origin.Origin;

/** Rebuilds the tree of flat properties such as {@code rules[0].per[1]}. */
final class PropertyTree {
  private final Map<String, PropertyTree> children = new LinkedHashMap<>();
  private boolean list;
  private @Nullable String value;
  private @Nullable Origin origin;

  /** Adds a property; {@code prefixLength} is the number of name elements above this tree. */
  void add(ConfigurationPropertyName name, int prefixLength, String text, @Nullable Origin from) {
    PropertyTree node = this;
    for (int i = prefixLength; i < name.getNumberOfElements(); i++) {
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

  /** Attribute names such as {@code header.x-tenant} contain dots, which are not levels here. */
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

  /** Returns the value of a leaf; null for an inner node. */
  @Nullable String value() {
    return value;
  }

  /** Returns the origin of this node or of its first descendant that has one; null if unknown. */
  @Nullable Origin origin() {
    Origin found = origin;
    for (PropertyTree child : children.values()) {
      found = found == null ? child.origin() : found;
    }
    return found;
  }
}

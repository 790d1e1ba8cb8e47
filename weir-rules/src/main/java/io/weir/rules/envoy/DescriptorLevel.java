package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.List;

/**
 * One level of a descriptor lookup: the descriptor found at this level, and its siblings.
 *
 * @param siblings all descriptors of the list, in their order
 */
record DescriptorLevel(ConfiguredDescriptor chosen, List<ConfiguredDescriptor> siblings) {

  /** Returns the patterns of the values for which it is found; empty if it is found for all. */
  List<String> patterns() {
    if (chosen.isExact()) {
      return List.of(chosen.value());
    }
    List<String> patterns = new ArrayList<>();
    if (chosen.isWildcard()) {
      patterns.add(EnvoyPattern.of(chosen));
    }
    boolean before = true;
    for (ConfiguredDescriptor other : siblings) {
      before &= !other.label().equals(chosen.label());
      boolean first =
          other.isExact() || (other.isWildcard() && (before || chosen.matchesAnyValue()));
      if (first && other.key().equals(chosen.key()) && overlaps(other)) {
        patterns.add("!" + EnvoyPattern.of(other));
      }
    }
    return patterns;
  }

  private boolean overlaps(ConfiguredDescriptor other) {
    if (chosen.matchesAnyValue()) {
      return true;
    }
    return other.isExact()
        ? other.value().startsWith(chosen.prefix())
        : other.prefix().startsWith(chosen.prefix()) || chosen.prefix().startsWith(other.prefix());
  }

  /** Whether each value has its own counter. */
  boolean isCountedPerValue() {
    return !chosen.isExact() && !chosen.sharedCounter();
  }
}

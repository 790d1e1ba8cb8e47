package io.weir.rule;

import io.weir.internal.glob.GlobTree;
import io.weir.internal.glob.PatternExclusions;
import io.weir.internal.glob.PatternIndex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Selects requests by patterns per attribute; every named attribute must match one of its patterns.
 *
 * <p>A pattern is an exact value, or contains {@code *} for any characters within a {@code /}
 * segment and {@code **} for any number of segments. A pattern that starts with {@code !} is an
 * exclusion: values that match the rest of it do not match, whatever the other patterns are. If all
 * patterns of an attribute are exclusions, all other values match. An empty selector matches every
 * request. Immutable.
 *
 * <p>Patterns of {@code ip} may be networks such as {@code 10.0.0.0/8}, and match addresses in any
 * spelling. Patterns of {@code endpoint} without a method match all methods; methods and the names
 * of headers are case-insensitive.
 */
public final class Selector {
  /** Matches every request. */
  public static final Selector ANY = new Selector(Map.of());

  private static final String HEADER_PREFIX = "header.";
  private static final Pattern NAME_PATTERN = Pattern.compile("[A-Za-z0-9_.-]{1,100}");

  private final Map<String, List<String>> patterns;
  private final String[] names;
  private final PatternIndex[] inclusionTrees;
  private final @Nullable PatternIndex[] exclusionTrees;

  private Selector(Map<String, List<String>> patterns) {
    this.patterns = patterns;
    names = patterns.keySet().toArray(new String[0]);
    inclusionTrees = new PatternIndex[names.length];
    exclusionTrees = new PatternIndex[names.length];
    for (int i = 0; i < names.length; i++) {
      List<String> all = patterns.getOrDefault(names[i], List.of());
      inclusionTrees[i] = buildTree(names[i], PatternExclusions.inclusions(all));
      exclusionTrees[i] =
          PatternExclusions.isPresent(all)
              ? buildTree(names[i], PatternExclusions.exclusions(all))
              : null;
    }
  }

  private static PatternIndex buildTree(String attribute, List<String> patterns) {
    PatternIndex tree = PatternIndex.forAttribute(attribute);
    patterns.forEach(pattern -> tree.add(pattern, 0));
    return tree;
  }

  /**
   * Creates a selector from patterns by attribute.
   *
   * @throws IllegalArgumentException if a pattern or name is not valid
   */
  public static Selector of(Map<String, ? extends Collection<String>> patterns) {
    Map<String, List<String>> checked = new LinkedHashMap<>();
    patterns.forEach(
        (name, values) -> {
          checkName(name);
          String attribute = canonicalName(name);
          if (values.isEmpty()) {
            throw new IllegalArgumentException(
                name + " has no value; write at least one, or leave it out");
          }
          for (String value : values) {
            try {
              GlobTree.check(PatternExclusions.withoutNegation(value));
            } catch (IllegalArgumentException e) {
              throw new IllegalArgumentException(name + " " + e.getMessage(), e);
            }
          }
          List<String> earlier = checked.put(attribute, List.copyOf(values));
          if (earlier != null) {
            throw new IllegalArgumentException(
                name + " is the same as " + attribute + "; write it once");
          }
        });
    return checked.isEmpty() ? ANY : new Selector(Collections.unmodifiableMap(checked));
  }

  /** Creates a selector on one attribute. */
  public static Selector of(String name, String... patterns) {
    return of(Map.of(name, List.of(patterns)));
  }

  /** Returns the patterns by attribute, as configured. */
  public Map<String, List<String>> patterns() {
    return patterns;
  }

  public boolean matches(Attributes request) {
    return matches(request, "");
  }

  /** Like {@link #matches(Attributes)}, for an attribute whose inclusions are known to match. */
  public boolean matches(Attributes request, String knownAttribute) {
    for (int i = 0; i < names.length; i++) {
      PatternIndex exclusion = exclusionTrees[i];
      boolean known = names[i].equals(knownAttribute);
      if (known && exclusion == null) {
        continue;
      }
      String value = request.get(names[i]);
      if (value == null
          || (!known && !inclusionTrees[i].matches(value))
          || (exclusion != null && exclusion.matches(value))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the name of an attribute as requests have it: names of headers are in lower case. */
  static String canonicalName(String attribute) {
    return attribute.startsWith(HEADER_PREFIX) ? attribute.toLowerCase(Locale.ROOT) : attribute;
  }

  static void checkName(String attribute) {
    if (!NAME_PATTERN.matcher(attribute).matches()) {
      throw new IllegalArgumentException(
          "'" + attribute + "' is not an attribute; write letters, digits and . _ - only");
    }
  }

  /** Returns this selector with additional patterns for an attribute. */
  Selector and(String name, String... values) {
    Map<String, Collection<String>> more = new LinkedHashMap<>(patterns);
    Collection<String> old = more.put(name, List.of(values));
    if (old != null) {
      List<String> both = new ArrayList<>(old);
      both.addAll(List.of(values));
      more.put(name, both);
    }
    return of(more);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Selector that && patterns.equals(that.patterns);
  }

  @Override
  public int hashCode() {
    return patterns.hashCode();
  }

  @Override
  public String toString() {
    return patterns.toString();
  }
}

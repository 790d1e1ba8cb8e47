package io.weir.rules.envoy;

import io.weir.internal.Sha256;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Derives the ids of imported rules from their descriptors. Counters belong to the id, so it must
 * not depend on other rules' values: an id that is too long or not unique is cut and ends with a
 * digest of its descriptors.
 */
final class EnvoyRuleIds {
  private static final int MAX_ID_LENGTH = 64;
  private static final int DIGEST_LENGTH = 8;

  private final String domain;
  private final List<String> ids = new ArrayList<>();
  private final List<String> digestInputs = new ArrayList<>();
  private final Map<String, Integer> idCounts = new HashMap<>();

  EnvoyRuleIds(String domain) {
    this.domain = domain;
  }

  /** Adds the rule of a limit, whose id is derived from its name, or else from its descriptors. */
  void add(List<DescriptorLevel> levels, String name) {
    StringBuilder readable = new StringBuilder(domain);
    StringBuilder digestInput = new StringBuilder(domain);
    for (DescriptorLevel level : levels) {
      ConfiguredDescriptor chosen = level.chosen();
      readable.append('-').append(chosen.key()).append('-').append(chosen.value());
      digestInput.append('\0').append(chosen.key()).append('\0').append(chosen.value());
    }
    String id = normalized(name.isEmpty() ? readable.toString() : domain + "-" + name);
    ids.add(id.isEmpty() ? "envoy" : id);
    idCounts.merge(ids.get(ids.size() - 1), 1, Integer::sum);
    digestInputs.add(digestInput.toString());
  }

  String id(int i) {
    String id = ids.get(i);
    if (id.length() <= MAX_ID_LENGTH && idCounts.getOrDefault(id, 0) == 1) {
      return id;
    }
    String cut = id.substring(0, Math.min(id.length(), MAX_ID_LENGTH - DIGEST_LENGTH - 1));
    return cut + "-" + digest(digestInputs.get(i));
  }

  private static String normalized(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
  }

  private static String digest(String text) {
    return HexFormat.of().formatHex(Sha256.digest(text)).substring(0, DIGEST_LENGTH);
  }
}

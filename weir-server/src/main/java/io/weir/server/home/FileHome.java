package io.weir.server.home;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Rules in a file, which people change themselves. */
record FileHome(Path file) implements RuleHome {

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public Content content() {
    List<Kept> kept = Rules.read(file).stream().map(rule -> new Kept(rule, 0)).toList();
    return new Content(0, kept, Map.of());
  }

  @Override
  public long replace(List<Rule> rules, String who, long expectedRevision) {
    throw new HomeException(
        HomeException.Kind.REFUSED,
        file + " is a file, and followed as it changes; copy the rules over it");
  }
}

package io.weir.server.home;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import java.nio.file.Path;
import java.util.List;

/** Rules in a file, which people change themselves. */
record FileHome(Path file) implements RuleHome {

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public Content content() {
    return new Content(0, Rules.read(file).stream().map(rule -> new Kept(rule, 0)).toList());
  }

  @Override
  public long replace(List<Rule> rules, String who, long expectedRevision) {
    throw new HomeException(
        HomeException.Kind.REFUSED,
        file + " is a file, and followed as it changes; copy the rules over it");
  }
}

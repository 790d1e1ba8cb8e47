package io.weir.server.doctor;

import io.weir.rule.Durations;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.text.TextException;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.server.home.HomeException;
import io.weir.server.home.RuleHome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at the rules: whether they can be read, and which are hardly meant. */
final class RulesExam {
  private static final String SUBJECT = "rules";
  private static final String APPLY = "run weir rules apply FILE";

  private final Config config;
  private final String url;
  private List<Rule> rules = List.of();

  RulesExam(Config config) {
    this.config = config;
    url = config.get(Settings.RULES);
  }

  /** The rules that were read; none before {@link #findings}. */
  List<Rule> rules() {
    return rules;
  }

  List<Finding> findings() {
    try (RuleHome home = RuleHome.open(url, false)) {
      RuleHome.Content content = home.content();
      rules = content.rules();
      List<Finding> all = new ArrayList<>();
      all.add(read(home.name() + content.shownRevision()));
      content
          .refused()
          .values()
          .forEach(
              reason ->
                  all.add(
                      Finding.problem(
                          SUBJECT,
                          Shown.line(reason) + "; what it was before serves",
                          "run weir rules apply FILE with the rule put right")));
      RuleDoubts.of(rules)
          .forEach(d -> all.add(Finding.warning(SUBJECT, d.rule() + ": " + d.text(), d.help())));
      region().ifPresent(all::add);
      return all;
    } catch (TextException e) {
      return e.problems().stream()
          .map(
              problem ->
                  Finding.problem(SUBJECT, problem.toString(), "run weir rules validate FILE"))
          .toList();
    } catch (HomeException e) {
      return List.of(closed(e));
    } catch (DatabaseException e) {
      return List.of(away(e));
    }
  }

  private Finding read(String name) {
    long enforced = rules.stream().filter(r -> r.enabled() && !r.shadow()).count();
    String text = name + ": " + rules.size() + " read, " + enforced + " enforced";
    return enforced > 0
        ? Finding.ok(SUBJECT, text)
        : Finding.warning(SUBJECT, text + ": everything is allowed", APPLY);
  }

  /** Whether a rule is divided among regions of which this node's is none. */
  private Optional<Finding> region() {
    String here = config.get(Settings.REGION).orElse("");
    return rules.stream()
        .filter(r -> r.enabled() && !r.regions().isEmpty() && !r.regions().containsKey(here))
        .findFirst()
        .map(
            rule ->
                Finding.warning(
                    SUBJECT,
                    "%s: has shares for %s, but this node's region is %s"
                        .formatted(
                            rule.id(),
                            String.join(", ", rule.regions().keySet()),
                            here.isEmpty() ? "not said" : here),
                    "write --region"));
  }

  private Finding closed(HomeException e) {
    return switch (e.kind()) {
      case MISSING ->
          Finding.warning(
              SUBJECT, Shown.url(url) + " does not exist yet, so there are none", APPLY);
      case HELD ->
          Finding.warning(
              SUBJECT,
              Shown.url(url) + " is held by another process, so they cannot be looked at",
              "ask that one: run weir rules list --server http://127.0.0.1:9090 --token TOKEN");
      case REFUSED -> Finding.problem(SUBJECT, String.valueOf(e.getMessage()), "write --rules URL");
    };
  }

  /** A server would start from its copy, if it has one. */
  private Finding away(DatabaseException why) {
    Path copy = config.get(Settings.DATA).resolve("rules-copy");
    String text = Shown.line(String.valueOf(why.getMessage()));
    String help = "start the database, or write --rules URL";
    try (DatabaseRules old = DatabaseRules.open(url, copy)) {
      rules = old.current().rules();
      Duration age = Duration.ofSeconds(old.stale().toSeconds());
      return Finding.problem(
          SUBJECT,
          "%s; a server would start on its copy, which is %s old"
              .formatted(text, Durations.format(age)),
          help);
    } catch (DatabaseException e) {
      return Finding.problem(SUBJECT, text + "; there is no copy, so no server would start", help);
    }
  }
}

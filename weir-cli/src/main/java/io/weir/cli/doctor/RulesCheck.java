package io.weir.cli.doctor;

import io.weir.cli.repository.RuleRepository;
import io.weir.cli.repository.RuleRepositoryException;
import io.weir.internal.Durations;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.lint.RuleLint;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks whether the rules can be read, and runs {@code RuleLint} on them. */
final class RulesCheck {
  private static final String SUBJECT = "rules";
  private static final String APPLY_HELP = "run weir rules apply FILE";

  private final ServerConfig config;
  private final String url;
  private List<Rule> rules = List.of();

  RulesCheck(ServerConfig config) {
    this.config = config;
    url = config.get(ServerSettings.RULES);
  }

  /** Returns the rules that were read; none before {@link #findings}. */
  List<Rule> rules() {
    return rules;
  }

  List<DoctorFinding> findings() {
    try (RuleRepository home = RuleRepository.open(url, false)) {
      RuleRepository.StoredRules content = home.content();
      rules = content.rules();
      List<DoctorFinding> all = new ArrayList<>();
      all.add(countFinding(home.name() + content.revisionSuffix()));
      content
          .rejected()
          .values()
          .forEach(
              reason ->
                  all.add(
                      DoctorFinding.problem(
                          SUBJECT,
                          FindingFormat.singleLine(reason)
                              + "; the previous version stays in force",
                          "correct the rule and run weir rules apply FILE")));
      RuleLint.check(rules, config.get(ServerSettings.IDENTITY_HEADERS))
          .forEach(
              d -> all.add(DoctorFinding.warning(SUBJECT, d.rule() + ": " + d.text(), d.help())));
      regionFinding().ifPresent(all::add);
      return all;
    } catch (InvalidConfigurationException e) {
      return e.problems().stream()
          .map(
              problem ->
                  DoctorFinding.problem(
                      SUBJECT, problem.toString(), "run weir rules validate FILE"))
          .toList();
    } catch (RuleRepositoryException e) {
      return List.of(repositoryFinding(e));
    } catch (DatabaseException e) {
      return List.of(unavailableDatabaseFinding(e));
    }
  }

  private DoctorFinding countFinding(String name) {
    long enforced = rules.stream().filter(r -> r.enabled() && !r.shadow()).count();
    String text = name + ": " + rules.size() + " read, " + enforced + " enforced";
    return enforced > 0
        ? DoctorFinding.ok(SUBJECT, text)
        : DoctorFinding.warning(SUBJECT, text + ": everything is allowed", APPLY_HELP);
  }

  /** Warns if a rule is divided among regions that do not include the one of this node. */
  private Optional<DoctorFinding> regionFinding() {
    String here = config.get(ServerSettings.REGION).orElse("");
    return rules.stream()
        .filter(r -> r.enabled() && !r.regions().isEmpty() && !r.regions().containsKey(here))
        .findFirst()
        .map(
            rule ->
                DoctorFinding.warning(
                    SUBJECT,
                    "%s: has shares for %s, but this node's region is %s"
                        .formatted(
                            rule.id(),
                            String.join(", ", rule.regions().keySet()),
                            here.isEmpty() ? "not set" : here),
                    "set --region"));
  }

  private DoctorFinding repositoryFinding(RuleRepositoryException e) {
    return switch (e.failure()) {
      case NOT_FOUND ->
          DoctorFinding.warning(
              SUBJECT,
              FindingFormat.urlWithoutSecrets(url) + " does not exist yet, so there are no rules",
              APPLY_HELP);
      case LOCKED ->
          DoctorFinding.warning(
              SUBJECT,
              FindingFormat.urlWithoutSecrets(url)
                  + " is locked by another process, so the rules cannot be checked",
              "ask that process: run weir rules list --server http://127.0.0.1:9090 --token TOKEN");
      case READ_ONLY ->
          DoctorFinding.problem(SUBJECT, String.valueOf(e.getMessage()), "set --rules URL");
    };
  }

  /** A server would start with the last good rules, if it has any. */
  private DoctorFinding unavailableDatabaseFinding(DatabaseException failure) {
    Path copy = config.get(ServerSettings.DATA).resolve("rules-copy");
    String text = FindingFormat.singleLine(String.valueOf(failure.getMessage()));
    String help = "start the database, or set --rules URL";
    try (DatabaseRules old = DatabaseRules.open(url, copy)) {
      rules = old.current().rules();
      Duration age = Duration.ofSeconds(old.staleness().toSeconds());
      return DoctorFinding.problem(
          SUBJECT,
          "%s; a server would start with the last good rules, which are %s old"
              .formatted(text, Durations.format(age)),
          help);
    } catch (DatabaseException e) {
      return DoctorFinding.problem(
          SUBJECT, text + "; there are no last good rules, so a server would not start", help);
    }
  }
}

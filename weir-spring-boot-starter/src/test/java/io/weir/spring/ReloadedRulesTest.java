package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.rule.Rule;
import io.weir.rules.database.DatabaseRules;
import io.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Rules in a file or a database are reloaded when they change, without a restart. */
class ReloadedRulesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @Test
  void changedFile_appliesWithoutRestart(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [{id: api, limit: 1/h}]");
    try (ConfigurableApplicationContext app = start("file:" + file)) {
      assertThat(app.getBean(WeirStatus.class).describe()).contains("reloaded from file:");
      Limiter limiter = app.getBean(Limiter.class);
      assertThat(limiter.decideNow(Request.of()).allowed()).isTrue();
      assertThat(limiter.decideNow(Request.of()).allowed()).isFalse();
      Files.writeString(file, "rules: [{id: api, limit: 1000/h}]");
      Await.until(TIMEOUT, "the new limit", () -> limiter.decideNow(Request.of()).allowed());
      Files.writeString(file, "rules: [{id: api, match: {header.x-a: b}, limit: 0/h}]");
      MergedRuleSource plan = app.getBean(MergedRuleSource.class);
      Await.until(TIMEOUT, "the next revision", () -> plan.current().revision() == 3);
      assertThat(limiter.decideNow(Request.of("header.x-a", "b")).allowed()).isFalse();
    }
  }

  @Test
  void changedDatabase_appliesWithoutRestart() {
    String url = "jdbc:h2:mem:spring;DB_CLOSE_DELAY=-1";
    try (DatabaseRules rules = DatabaseRules.open(url)) {
      rules.put(Rule.named("api").limit("0/h").build(), "test", 0);
      try (ConfigurableApplicationContext app = start(url)) {
        Limiter limiter = app.getBean(Limiter.class);
        assertThat(limiter.decideNow(Request.of()).allowed()).isFalse();
        rules.delete("api", "test", rules.revision("api"));
        Await.until(TIMEOUT, "no rule", () -> limiter.decideNow(Request.of()).allowed());
      }
    }
  }

  private static ConfigurableApplicationContext start(String address) {
    return new SpringApplicationBuilder(WeirStartupTest.MinimalApplication.class)
        .web(WebApplicationType.NONE)
        .properties("weir.rules=" + address)
        .run();
  }
}

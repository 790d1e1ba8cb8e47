package io.weir.spring.app;

import io.weir.Decision;
import io.weir.http.RefusalResponse;
import io.weir.spring.RefusalCustomizer;
import org.springframework.stereotype.Component;

/** Answers refusals of one rule with a text, and fails for another. */
@Component
public class TextRefusal implements RefusalCustomizer {

  @Override
  public RefusalResponse customize(Decision decision, RefusalResponse response) {
    String rule = decision.rule().orElseThrow();
    if (rule.equals("letters")) {
      throw new IllegalStateException("planted");
    }
    return rule.equals("customized")
        ? new RefusalResponse(response.status(), "text/plain", "slow down, " + rule)
        : response;
  }
}

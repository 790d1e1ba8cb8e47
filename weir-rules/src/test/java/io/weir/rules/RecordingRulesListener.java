package io.weir.rules;

import io.weir.rule.RuleSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the notifications of a listener. */
public final class RecordingRulesListener implements RulesListener {
  public final List<Long> revisions = new CopyOnWriteArrayList<>();
  public final List<String> rejections = new CopyOnWriteArrayList<>();

  @Override
  public void changed(RuleSet now) {
    revisions.add(now.revision());
  }

  @Override
  public void rejected(String reason) {
    rejections.add(reason);
  }
}

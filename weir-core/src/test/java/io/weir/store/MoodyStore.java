package io.weir.store;

import io.weir.rule.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A remote store that does what a test says, and at first nothing. */
final class MoodyStore implements Remote {
  final List<Ask> asked = new ArrayList<>();
  private final Clock clock;
  private final Fingerprint fingerprint = Fingerprint.random();
  private Consumer<Ask> mood = ask -> {};

  MoodyStore(Clock clock) {
    this.clock = clock;
  }

  void answers() {
    mood = this::answer;
  }

  void failsWith(StoreException reason) {
    mood = ask -> ask.fail(reason);
  }

  void throwsOut(RuntimeException reason) {
    mood =
        ask -> {
          throw reason;
        };
  }

  void isSilent() {
    mood = ask -> {};
  }

  void answer(Ask ask) {
    ask.answer(new Outcome[] {new Outcome(true, false, 9, 0, 0, 0)}, clock.micros());
  }

  @Override
  public void ask(Ask ask) {
    asked.add(ask);
    mood.accept(ask);
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }
}

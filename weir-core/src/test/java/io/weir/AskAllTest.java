package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Several requests decided together, as the parts of one. */
class AskAllTest {
  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);
  private final List<String> heard = new ArrayList<>();

  @Test
  void allAreChargedOrNone() {
    Limiter limiter = limiter(rule("user", "10/minute"), rule("ip", "2/minute"));
    List<Request> both = List.of(Request.of("user", "x"), Request.of("ip", "10.0.0.1"));
    for (int i = 0; i < 2; i++) {
      assertThat(limiter.askAll(both, Mode.TAKE).join()).allMatch(Decision::allowed);
    }
    for (int i = 0; i < 20; i++) {
      List<Decision> refused = limiter.askAll(both, Mode.TAKE).join();
      assertThat(refused).extracting(Decision::allowed).containsExactly(true, false);
      assertThat(refused.get(1).retryAfter()).isPositive();
    }
    assertThat(limiter.peek(both.get(0)).join().remaining()).isEqualTo(8);
  }

  @Test
  void everyDecisionHasItsOwnBindingRuleInOrder() {
    Limiter limiter = limiter(rule("user", "10/minute"), rule("ip", "2/minute"));
    List<Decision> decisions =
        limiter
            .askAll(
                List.of(
                    Request.of("ip", "10.0.0.1"),
                    Request.of("nobody", "knows"),
                    Request.of("user", "x", "ip", "10.0.0.2").cost(2),
                    Request.of("user", "y")),
                Mode.TAKE)
            .join();
    assertThat(decisions)
        .extracting(d -> d.rule().orElse("none") + " " + d.remaining())
        .containsExactly("ip 1", "none 0", "ip 0", "user 9");
    assertThat(decisions.get(2).rules()).extracting("remaining").containsExactly(8L, 0L);
  }

  @Test
  void thoseOnOneCounterAreJudgedInTurn() {
    Limiter limiter = limiter(rule("user", "3/minute"));
    Request two = Request.of("user", "x").cost(2);
    assertThat(limiter.askAll(List.of(two, two), Mode.TAKE).join())
        .extracting(Decision::allowed)
        .containsExactly(true, false);
    assertThat(limiter.peek(two).join().remaining()).as("nothing was taken").isEqualTo(3);
  }

  @Test
  void allModesWorkAndListenersHearEach() {
    Limiter limiter = limiter(rule("user", "3/minute"), rule("ip", "3/minute"));
    List<Request> both = List.of(Request.of("user", "x").cost(5), Request.of("ip", "1"));
    assertThat(limiter.askAll(both, Mode.PEEK).join())
        .extracting(Decision::never)
        .containsExactly(true, false);
    assertThat(heard).isEmpty();
    assertThat(limiter.askAll(both, Mode.FORCE).join())
        .extracting(Decision::remaining)
        .containsExactly(0L, 2L);
    assertThat(limiter.askAll(both, Mode.REFUND).join())
        .extracting(Decision::remaining)
        .containsExactly(3L, 3L);
    assertThat(limiter.askAll(List.of(both.get(1)), Mode.TAKE).join()).hasSize(1);
    assertThat(limiter.askAll(List.of(), Mode.TAKE).join()).isEmpty();
    assertThat(heard).containsExactly("{user=x} cost 5 false", "{ip=1} true", "{ip=1} true");
  }

  @Test
  void theTighterOfTwoIsWhatACallerIsTold() {
    Limiter limiter =
        limiter(rule("user", "10/minute"), rule("ip", "2/minute"), rule("tier", "3/hour"));
    List<Request> three =
        List.of(Request.of("user", "x"), Request.of("ip", "1"), Request.of("tier", "free"));
    List<Decision> first = limiter.askAll(three, Mode.TAKE).join();
    assertThat(first.get(1).isTighterThan(first.get(0))).isTrue();
    assertThat(first.get(0).isTighterThan(first.get(1))).isFalse();
    var unused = limiter.askAll(three, Mode.FORCE).join();
    unused = limiter.askAll(three, Mode.FORCE).join();
    List<Decision> refused = limiter.askAll(three, Mode.TAKE).join();
    assertThat(refused).extracting(Decision::allowed).containsExactly(true, false, false);
    assertThat(refused.get(2).isTighterThan(refused.get(1))).as("the longer wait").isTrue();
    assertThat(refused.get(1).isTighterThan(refused.get(0))).isTrue();
    Decision none = limiter.peek(Request.of("nobody", "knows")).join();
    assertThat(none.isTighterThan(first.get(0))).isFalse();
    assertThat(first.get(0).isTighterThan(none)).isTrue();
  }

  @Test
  void theStoreIsAskedOnceAndMayAnswerLater() {
    LateStore store = new LateStore(new MemoryStore(now::get));
    RuleSet rules = RuleSet.of(rule("user", "10/minute"), rule("ip", "2/minute"));
    Limiter limiter = Weir.limiter(rules).store(store).build();
    List<Request> both = List.of(Request.of("user", "x", "ip", "1"), Request.of("ip", "2"));
    CompletableFuture<List<Decision>> answer = limiter.askAll(both, Mode.TAKE);
    assertThat(answer).isNotDone();
    assertThat(store.asked).hasSize(1);
    store.asked.get(0).run();
    assertThat(answer.join()).extracting(Decision::remaining).containsExactly(1L, 1L);
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules))
        .clock(now::get)
        .listener((request, decision) -> heard.add(request + " " + decision.allowed()))
        .build();
  }

  private static Rule rule(String per, String limit) {
    return Rule.named(per).per(per).limit(limit).build();
  }

  /** Answers when it is told to. */
  private static final class LateStore implements Store {
    final List<Runnable> asked = new ArrayList<>();
    private final Store store;

    LateStore(Store store) {
      this.store = store;
    }

    @Override
    public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode, long when) {
      CompletableFuture<Outcome[]> answer = new CompletableFuture<>();
      asked.add(() -> answer.complete(store.take(claims, mode, when).join()));
      return answer;
    }

    @Override
    public Fingerprint fingerprint() {
      return store.fingerprint();
    }
  }
}

package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of several requests that are decided together. */
class ExecuteAllTest {
  private final AtomicLong now = new AtomicLong(1_767_225_600_000_000L);
  private final List<String> notified = new ArrayList<>();

  @Test
  void severalRequests_areChargedAllOrNone() {
    Limiter limiter = limiter(rule("user", "10/minute"), rule("device", "2/minute"));
    List<Request> both = List.of(Request.of("user", "x"), Request.of("device", "10.0.0.1"));
    for (int i = 0; i < 2; i++) {
      assertThat(limiter.executeAll(both, StoreOperation.TAKE).join()).allMatch(Decision::allowed);
    }
    for (int i = 0; i < 20; i++) {
      List<Decision> refused = limiter.executeAll(both, StoreOperation.TAKE).join();
      assertThat(refused).extracting(Decision::allowed).containsExactly(true, false);
      assertThat(refused.get(1).retryAfter()).isPositive();
    }
    assertThat(limiter.peek(both.get(0)).join().remaining()).isEqualTo(8);
  }

  @Test
  void decisions_areInRequestOrderWithTheirOwnBindingRule() {
    Limiter limiter = limiter(rule("user", "10/minute"), rule("device", "2/minute"));
    List<Decision> decisions =
        limiter
            .executeAll(
                List.of(
                    Request.of("device", "10.0.0.1"),
                    Request.of("nobody", "knows"),
                    Request.of("user", "x", "device", "10.0.0.2").cost(2),
                    Request.of("user", "y")),
                StoreOperation.TAKE)
            .join();
    assertThat(decisions)
        .extracting(d -> d.rule().orElse("none") + " " + d.remaining())
        .containsExactly("device 1", "none 0", "device 0", "user 9");
    assertThat(decisions.get(2).rules()).extracting("remaining").containsExactly(8L, 0L);
  }

  @Test
  void requestsOnOneCounter_areEvaluatedInOrder() {
    Limiter limiter = limiter(rule("user", "3/minute"));
    Request two = Request.of("user", "x").cost(2);
    assertThat(limiter.executeAll(List.of(two, two), StoreOperation.TAKE).join())
        .extracting(Decision::allowed)
        .containsExactly(true, false);
    assertThat(limiter.peek(two).join().remaining()).as("nothing was charged").isEqualTo(3);
  }

  @Test
  void allOperations_workAndNotifyListenersPerRequest() {
    Limiter limiter = limiter(rule("user", "3/minute"), rule("device", "3/minute"));
    List<Request> both = List.of(Request.of("user", "x").cost(5), Request.of("device", "1"));
    assertThat(limiter.executeAll(both, StoreOperation.PEEK).join())
        .extracting(Decision::costExceedsLimit)
        .containsExactly(true, false);
    assertThat(notified).isEmpty();
    assertThat(limiter.executeAll(both, StoreOperation.FORCE).join())
        .extracting(Decision::remaining)
        .containsExactly(0L, 2L);
    assertThat(limiter.executeAll(both, StoreOperation.REFUND).join())
        .extracting(Decision::remaining)
        .containsExactly(3L, 3L);
    assertThat(limiter.executeAll(List.of(both.get(1)), StoreOperation.TAKE).join()).hasSize(1);
    assertThat(limiter.executeAll(List.of(), StoreOperation.TAKE).join()).isEmpty();
    assertThat(notified)
        .containsExactly("{user=x} cost 5 false", "{device=1} true", "{device=1} true");
  }

  @Test
  void isTighterThan_ordersRefusalsByWait() {
    Limiter limiter =
        limiter(rule("user", "10/minute"), rule("device", "2/minute"), rule("tier", "3/hour"));
    List<Request> three =
        List.of(Request.of("user", "x"), Request.of("device", "1"), Request.of("tier", "free"));
    List<Decision> first = limiter.executeAll(three, StoreOperation.TAKE).join();
    assertThat(first.get(1).isTighterThan(first.get(0))).isTrue();
    assertThat(first.get(0).isTighterThan(first.get(1))).isFalse();
    var unused = limiter.executeAll(three, StoreOperation.FORCE).join();
    unused = limiter.executeAll(three, StoreOperation.FORCE).join();
    List<Decision> refused = limiter.executeAll(three, StoreOperation.TAKE).join();
    assertThat(refused).extracting(Decision::allowed).containsExactly(true, false, false);
    assertThat(refused.get(2).isTighterThan(refused.get(1))).as("the longer wait").isTrue();
    assertThat(refused.get(1).isTighterThan(refused.get(0))).isTrue();
    Decision none = limiter.peek(Request.of("nobody", "knows")).join();
    assertThat(none.isTighterThan(first.get(0))).isFalse();
    assertThat(first.get(0).isTighterThan(none)).isTrue();
  }

  @Test
  void severalRequests_useOneAsynchronousStoreCall() {
    DeferredStore store = new DeferredStore(new MemoryStore(now::get));
    RuleSet rules = RuleSet.of(rule("user", "10/minute"), rule("device", "2/minute"));
    Limiter limiter = Weir.limiter(rules).store(store).build();
    List<Request> both = List.of(Request.of("user", "x", "device", "1"), Request.of("device", "2"));
    CompletableFuture<List<Decision>> decisions = limiter.executeAll(both, StoreOperation.TAKE);
    assertThat(decisions).isNotDone();
    assertThat(store.pendingReplies).hasSize(1);
    store.pendingReplies.get(0).run();
    assertThat(decisions.join()).extracting(Decision::remaining).containsExactly(1L, 1L);
  }

  private Limiter limiter(Rule... rules) {
    return Weir.limiter(RuleSet.of(rules))
        .clock(now::get)
        .listener((request, decision) -> notified.add(request + " " + decision.allowed()))
        .build();
  }

  private static Rule rule(String per, String limit) {
    return Rule.named(per).per(per).limit(limit).build();
  }

  /** A store that answers when the test runs the pending replies. */
  private static final class DeferredStore implements ClaimStore {
    final List<Runnable> pendingReplies = new ArrayList<>();
    private final ClaimStore store;

    DeferredStore(ClaimStore store) {
      this.store = store;
    }

    @Override
    public CompletableFuture<ClaimOutcome[]> apply(
        Claim[] claims, StoreOperation operation, long when) {
      CompletableFuture<ClaimOutcome[]> reply = new CompletableFuture<>();
      pendingReplies.add(() -> reply.complete(store.apply(claims, operation, when).join()));
      return reply;
    }

    @Override
    public Fingerprint fingerprint() {
      return store.fingerprint();
    }
  }
}

package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.store.StoreOperation;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The memory store is linearizable, for single keys and for several keys at once. */
@Param(name = "key", gen = IntGen.class, conf = "0:2")
@Param(name = "cost", gen = IntGen.class, conf = "1:3")
@Tag("slow")
public class MemoryStoreLincheckTest {
  private static final Fingerprint FINGERPRINT = new Fingerprint(3, 4);
  private static final Rule BUCKET = Rule.named("bucket").per("user").limit("4/day").build();
  private static final Rule LOG =
      Rule.named("log").per("user").algorithm("sliding-log").limit("3/day").build();

  private final MemoryStore store = new MemoryStore(() -> 1_700_000_000_000_000L, 1 << 20);

  @Operation
  public boolean take(@Param(name = "key") int key, @Param(name = "cost") int cost) {
    return store
        .apply(new Claim[] {claim(BUCKET, key, cost)}, StoreOperation.TAKE)
        .join()[0]
        .admitted();
  }

  @Operation
  public String takeBoth(@Param(name = "key") int key, @Param(name = "key") int other) {
    Claim[] claims = {claim(BUCKET, key, 1), claim(LOG, other, 1)};
    ClaimOutcome[] outcomes = store.apply(claims, StoreOperation.TAKE).join();
    return outcomes[0].admitted() + " " + outcomes[1].admitted();
  }

  @Operation
  public void refund(@Param(name = "key") int key, @Param(name = "cost") int cost) {
    var unused = store.apply(new Claim[] {claim(BUCKET, key, cost)}, StoreOperation.REFUND);
  }

  @Operation
  public long peek(@Param(name = "key") int key) {
    return store
        .apply(new Claim[] {claim(BUCKET, key, 1)}, StoreOperation.PEEK)
        .join()[0]
        .remaining();
  }

  private static Claim claim(Rule rule, int caller, int cost) {
    return Claim.of(
        CompiledRule.of(rule).limits().get(0), FINGERPRINT.of("caller " + caller), cost);
  }

  @Test
  void everyInterleaving_isLinearizable() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(3)
        .loopBound(20_000) // the lock loops while it backs off
        .check(getClass());
  }

  @Test
  void stress_isLinearizable() {
    new StressOptions()
        .iterations(10)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .check(getClass());
  }
}

package io.weir.internal.store.nodes;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/** The claims of a decision that one of several stores evaluates, and their outcomes. */
public final class ClaimSubset {
  private final int index;
  private final List<Integer> positions = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();
  private CompletableFuture<ClaimOutcome[]> answer = new CompletableFuture<>();

  private ClaimSubset(int index) {
    this.index = index;
  }

  /** Splits a decision by the index of the store that evaluates each claim, in ascending order. */
  public static List<ClaimSubset> split(Claim[] all, ToIntFunction<Claim> storeIndex) {
    TreeMap<Integer, ClaimSubset> partitions = new TreeMap<>();
    for (int i = 0; i < all.length; i++) {
      ClaimSubset partition =
          partitions.computeIfAbsent(storeIndex.applyAsInt(all[i]), ClaimSubset::new);
      partition.positions.add(i);
      partition.claims.add(all[i]);
    }
    return List.copyOf(partitions.values());
  }

  /** The index of the store that evaluates it. */
  public int index() {
    return index;
  }

  /** Submits the claims to the store. */
  public void submit(ClaimStore store, StoreOperation operation, long when) {
    answer = store.apply(claims(), operation, when);
  }

  /** Sets the outcomes without calling a store. */
  void setAnswer(ClaimOutcome[] outcomes) {
    answer = CompletableFuture.completedFuture(outcomes);
  }

  /** The outcomes, once the store has answered. */
  CompletableFuture<ClaimOutcome[]> answer() {
    return answer;
  }

  /** Whether the outcomes, which must be answered, admit the request. */
  public boolean isAdmitted() {
    return isAdmitted(claims(), answer.join());
  }

  /** Refunds the charges of a request that another partition refuses, and updates the outcomes. */
  public void refund(ClaimStore store, ClaimOutcome[] all) {
    if (!isAdmitted()) {
      return; // nothing was charged
    }
    ClaimOutcome[] answers = answer.join();
    Map<Long, List<Claim>> charged = new LinkedHashMap<>(); // each lease has its own date
    for (int i = 0; i < answers.length; i++) {
      ClaimOutcome o = answers[i];
      if (o.charged() && !o.degraded()) {
        Claim claim = claims.get(i);
        charged.computeIfAbsent(o.chargedAt(claim), time -> new ArrayList<>()).add(claim);
        all[positions.get(i)] =
            new ClaimOutcome(
                true, false, o.remaining() + claim.cost(), o.reset(), o.delayOrWait(), o.time());
      }
    }
    for (Map.Entry<Long, List<Claim>> one : charged.entrySet()) {
      Claim[] some = one.getValue().toArray(new Claim[0]);
      var unused = store.apply(some, StoreOperation.REFUND, one.getKey());
    }
  }

  /** Completes when all partitions are answered. */
  public static CompletableFuture<Void> whenAllAnswered(List<ClaimSubset> partitions) {
    return CompletableFuture.allOf(
        partitions.stream()
            .map(partition -> partition.answer)
            .toArray(CompletableFuture<?>[]::new));
  }

  /** The outcomes of all partitions, which must be answered, in the order of the claims. */
  public static ClaimOutcome[] join(List<ClaimSubset> partitions) {
    ClaimOutcome[] outcomes =
        new ClaimOutcome
            [partitions.stream().mapToInt(partition -> partition.positions.size()).sum()];
    for (ClaimSubset partition : partitions) {
      ClaimOutcome[] answers = partition.answer.join();
      for (int i = 0; i < answers.length; i++) {
        outcomes[partition.positions.get(i)] = answers[i];
      }
    }
    return outcomes;
  }

  /** Whether a request with these claims is admitted by the outcomes. */
  public static boolean isAdmitted(Claim[] claims, ClaimOutcome[] outcomes) {
    for (int i = 0; i < claims.length; i++) {
      if (!outcomes[i].admitted() && !claims[i].limit().shadow()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the permits that were charged for each claim of a request with these outcomes. */
  static long[] chargedPermits(Claim[] claims, StoreOperation operation, ClaimOutcome[] outcomes) {
    long[] charged = new long[claims.length];
    boolean isTake = operation == StoreOperation.TAKE && isAdmitted(claims, outcomes);
    for (int i = 0; i < claims.length; i++) {
      boolean isTaken = isTake && outcomes[i].admitted() && !claims[i].limit().deferred();
      charged[i] = isTaken || operation == StoreOperation.FORCE ? claims[i].cost() : 0;
    }
    return charged;
  }

  Claim[] claims() {
    return claims.toArray(new Claim[0]);
  }
}

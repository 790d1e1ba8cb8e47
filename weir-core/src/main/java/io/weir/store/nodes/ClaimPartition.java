package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/** Those claims of a decision that are judged in one of several places, and what was said there. */
public final class ClaimPartition {
  private final int index;
  private final List<Integer> positions = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();
  private CompletableFuture<ClaimOutcome[]> answer = new CompletableFuture<>();

  private ClaimPartition(int where) {
    this.index = where;
  }

  /** The parts of a decision, by where their claims are judged, in ascending order. */
  public static List<ClaimPartition> split(Claim[] all, ToIntFunction<Claim> where) {
    TreeMap<Integer, ClaimPartition> parts = new TreeMap<>();
    for (int i = 0; i < all.length; i++) {
      ClaimPartition part = parts.computeIfAbsent(where.applyAsInt(all[i]), ClaimPartition::new);
      part.positions.add(i);
      part.claims.add(all[i]);
    }
    return List.copyOf(parts.values());
  }

  /** Where it is judged. */
  public int index() {
    return index;
  }

  /** Has it judged. */
  public void submit(Store store, StoreOperation mode, long when) {
    answer = store.apply(claims(), mode, when);
  }

  /** Notes what was said where nobody was asked. */
  void setAnswer(ClaimOutcome[] outcomes) {
    answer = CompletableFuture.completedFuture(outcomes);
  }

  /** What was said, once it is. */
  CompletableFuture<ClaimOutcome[]> answer() {
    return answer;
  }

  /** Whether what was said lets the request pass. */
  public boolean isAdmitted() {
    return isAdmitted(claims(), answer.join());
  }

  /**
   * Gives back what was taken for a request that another part refuses, and says so in its outcomes.
   */
  public void refund(Store store, ClaimOutcome[] all) {
    if (!isAdmitted()) {
      return; // nothing was charged
    }
    ClaimOutcome[] said = answer.join();
    Map<Long, List<Claim>> charged = new LinkedHashMap<>(); // each lease has its own time
    for (int i = 0; i < said.length; i++) {
      ClaimOutcome o = said[i];
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

  /** Done when all parts are answered. */
  public static CompletableFuture<Void> whenAllAnswered(List<ClaimPartition> parts) {
    return CompletableFuture.allOf(
        parts.stream().map(part -> part.answer).toArray(CompletableFuture<?>[]::new));
  }

  /** The outcomes of all parts, which are answered, in the order of the decision's claims. */
  public static ClaimOutcome[] join(List<ClaimPartition> parts) {
    ClaimOutcome[] outcomes =
        new ClaimOutcome[parts.stream().mapToInt(part -> part.positions.size()).sum()];
    for (ClaimPartition part : parts) {
      ClaimOutcome[] said = part.answer.join();
      for (int i = 0; i < said.length; i++) {
        outcomes[part.positions.get(i)] = said[i];
      }
    }
    return outcomes;
  }

  /** Whether the outcomes let a request with these claims pass. */
  public static boolean isAdmitted(Claim[] claims, ClaimOutcome[] outcomes) {
    for (int i = 0; i < claims.length; i++) {
      if (!outcomes[i].admitted() && !claims[i].limit().shadow()) {
        return false;
      }
    }
    return true;
  }

  /** Whether claims that have these outcomes were charged, at least those that fit. */
  static boolean isCharged(Claim[] claims, StoreOperation mode, ClaimOutcome[] outcomes) {
    return mode == StoreOperation.FORCE
        || (mode == StoreOperation.TAKE && isAdmitted(claims, outcomes));
  }

  Claim[] claims() {
    return claims.toArray(new Claim[0]);
  }
}

package io.weir.store.nodes;

import io.weir.rule.Claim;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/** Those claims of a decision that are judged in one of several places, and what was said there. */
public final class Part {
  private final int where;
  private final List<Integer> places = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();
  private CompletableFuture<Outcome[]> answer = new CompletableFuture<>();

  private Part(int where) {
    this.where = where;
  }

  /** The parts of a decision, by where their claims are judged, in ascending order. */
  public static List<Part> of(Claim[] all, ToIntFunction<Claim> where) {
    TreeMap<Integer, Part> parts = new TreeMap<>();
    for (int i = 0; i < all.length; i++) {
      Part part = parts.computeIfAbsent(where.applyAsInt(all[i]), Part::new);
      part.places.add(i);
      part.claims.add(all[i]);
    }
    return List.copyOf(parts.values());
  }

  /** Where it is judged. */
  public int where() {
    return where;
  }

  /** Has it judged. */
  public void ask(Store store, Mode mode, long when) {
    answer = store.take(claims(), mode, when);
  }

  /** Notes what was said where nobody was asked. */
  void answered(Outcome[] outcomes) {
    answer = CompletableFuture.completedFuture(outcomes);
  }

  /** What was said, once it is. */
  CompletableFuture<Outcome[]> answer() {
    return answer;
  }

  /** Whether what was said lets the request pass. */
  public boolean admits() {
    return admits(claims(), answer.join());
  }

  /**
   * Gives back what was taken for a request that another part refuses, and says so in its outcomes.
   */
  public void giveBack(Store store, Outcome[] all) {
    if (!admits()) {
      return; // nothing was charged
    }
    Outcome[] said = answer.join();
    Map<Long, List<Claim>> charged = new LinkedHashMap<>(); // each lease has its own time
    for (int i = 0; i < said.length; i++) {
      Outcome o = said[i];
      if (o.charged() && !o.degraded()) {
        Claim claim = claims.get(i);
        charged.computeIfAbsent(o.chargedAt(claim), time -> new ArrayList<>()).add(claim);
        all[places.get(i)] =
            new Outcome(true, false, o.remaining() + claim.cost(), o.reset(), o.pause(), o.time());
      }
    }
    for (Map.Entry<Long, List<Claim>> one : charged.entrySet()) {
      Claim[] some = one.getValue().toArray(new Claim[0]);
      var unused = store.take(some, Mode.REFUND, one.getKey());
    }
  }

  /** Done when all parts are answered. */
  public static CompletableFuture<Void> all(List<Part> parts) {
    return CompletableFuture.allOf(
        parts.stream().map(part -> part.answer).toArray(CompletableFuture<?>[]::new));
  }

  /** The outcomes of all parts, which are answered, in the order of the decision's claims. */
  public static Outcome[] join(List<Part> parts) {
    Outcome[] outcomes = new Outcome[parts.stream().mapToInt(part -> part.places.size()).sum()];
    for (Part part : parts) {
      Outcome[] said = part.answer.join();
      for (int i = 0; i < said.length; i++) {
        outcomes[part.places.get(i)] = said[i];
      }
    }
    return outcomes;
  }

  /** Whether the outcomes let a request with these claims pass. */
  public static boolean admits(Claim[] claims, Outcome[] outcomes) {
    for (int i = 0; i < claims.length; i++) {
      if (!outcomes[i].fits() && !claims[i].limit().shadow()) {
        return false;
      }
    }
    return true;
  }

  /** Whether claims that have these outcomes were charged, at least those that fit. */
  static boolean charges(Claim[] claims, Mode mode, Outcome[] outcomes) {
    return mode == Mode.FORCE || (mode == Mode.TAKE && admits(claims, outcomes));
  }

  Claim[] claims() {
    return claims.toArray(new Claim[0]);
  }
}

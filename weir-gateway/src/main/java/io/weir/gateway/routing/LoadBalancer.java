package io.weir.gateway.routing;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the upstream of each request, on one event loop. Not thread-safe.
 *
 * <p>Unavailable upstreams are left out, except if all are: then all are tried, since a request
 * that may fail is better than one that certainly does.
 *
 * @param <T> the connections to an upstream
 */
public final class LoadBalancer<T> {
  private static final long HASH_MULTIPLIER = 0x9e3779b97f4a7c15L;

  private final BalancePolicy policy;
  private final List<Candidate<T>> candidates;
  private final List<Candidate<T>> eligible = new ArrayList<>();

  public LoadBalancer(BalancePolicy policy, List<Candidate<T>> candidates) {
    this.policy = policy;
    this.candidates = List.copyOf(candidates);
  }

  /** An upstream with its weight and its load on this event loop. */
  public static final class Candidate<T> {
    private final T connections;
    private final String name;
    private final int weight;
    private final UpstreamHealth health;
    private int inProgress;
    private long currentWeight;

    public Candidate(T connections, String name, int weight, UpstreamHealth health) {
      this.connections = connections;
      this.name = name;
      this.weight = weight;
      this.health = health;
    }

    public T connections() {
      return connections;
    }

    public UpstreamHealth health() {
      return health;
    }

    /** Called when a request is sent to the upstream. */
    public void acquire() {
      inProgress++;
    }

    /** Called when that request has ended. */
    public void release() {
      inProgress--;
    }
  }

  public List<Candidate<T>> candidates() {
    return candidates;
  }

  /**
   * Chooses an upstream.
   *
   * @param key the attribute to hash; null if the request has none, or the policy needs none
   * @param failed the upstream that has just failed, which is chosen only if there is no other
   */
  public Candidate<T> choose(@Nullable String key, @Nullable Candidate<T> failed) {
    if (candidates.size() == 1) {
      return candidates.get(0);
    }
    eligible.clear();
    addEligible(true, failed);
    if (eligible.isEmpty()) {
      addEligible(false, failed);
    }
    return switch (policy) {
      case ROUND_ROBIN -> next();
      case LEAST_REQUESTS -> leastLoaded();
      case HASH -> key == null ? next() : closest(key);
    };
  }

  private void addEligible(boolean availableOnly, @Nullable Candidate<T> failed) {
    for (Candidate<T> candidate : candidates) {
      if (candidate != failed && (!availableOnly || candidate.health.isAvailable())) {
        eligible.add(candidate);
      }
    }
  }

  /** Smooth weighted round robin: a heavy upstream's turns are spread between those of others. */
  private Candidate<T> next() {
    Candidate<T> best = eligible.get(0);
    long total = 0;
    for (Candidate<T> candidate : eligible) {
      candidate.currentWeight += candidate.weight;
      total += candidate.weight;
      if (candidate.currentWeight > best.currentWeight) {
        best = candidate;
      }
    }
    best.currentWeight -= total;
    return best;
  }

  private Candidate<T> leastLoaded() {
    Candidate<T> best = next(); // in turn if the load is equal
    for (Candidate<T> candidate : eligible) {
      long load = (candidate.inProgress + 1L) * best.weight;
      if (load < (best.inProgress + 1L) * candidate.weight) {
        best = candidate;
      }
    }
    return best;
  }

  /** Rendezvous hashing: without an upstream, only the keys that it had are distributed anew. */
  private Candidate<T> closest(String key) {
    Candidate<T> best = eligible.get(0);
    double bestScore = -1;
    for (Candidate<T> candidate : eligible) {
      double score = candidate.weight / -Math.log(fraction(key, candidate.name));
      if (score > bestScore) {
        best = candidate;
        bestScore = score;
      }
    }
    return best;
  }

  /** A hash of both texts, above 0 and below 1; the same on every node. */
  private static double fraction(String key, String name) {
    long hash = mix(mix(key.hashCode()) ^ mix(name.hashCode() * HASH_MULTIPLIER + key.length()));
    return ((hash >>> 11) + 0.5) / (1L << 53);
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 32) * HASH_MULTIPLIER;
    mixed = (mixed ^ mixed >>> 29) * HASH_MULTIPLIER;
    return mixed ^ mixed >>> 32;
  }
}

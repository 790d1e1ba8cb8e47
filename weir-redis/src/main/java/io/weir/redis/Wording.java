package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.Ask;
import io.weir.store.Mode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Puts a batch into the words of the script, as {@code shelf.lua} reads them. */
final class Wording {
  private static final int ALONE = 8;

  private final Batch batch;
  private final Bytes bytes = new Bytes();
  private final @Nullable Limit[] limits = new Limit[Batch.CAPACITY];
  private int limitCount;

  Wording(Batch batch) {
    this.batch = batch;
  }

  void clear() {
    Arrays.fill(limits, 0, limitCount, null);
    limitCount = 0;
  }

  /** What the script is called with. */
  byte[][] arguments(long now, Setup setup) {
    bytes.clear();
    int claim = 0;
    for (int g = 0; g < batch.groups; ) {
      int repeats = repeats(g, claim);
      write(batch.head(g), claim, batch.sizes[g], repeats);
      claim += repeats * batch.head(g).claims().length;
      g += repeats;
    }
    byte[] requests = bytes.copy();
    bytes.clear();
    for (int i = 0; i < limitCount; i++) {
      describe(limits[i]);
    }
    byte[] described = bytes.copy();
    bytes.clear();
    for (int i = 0; i < batch.counters; i++) {
      setup.write(batch.keys[i], bytes);
    }
    return new byte[][] {head(now, setup), described, requests, bytes.copy()};
  }

  /** How many groups from this one on have its shape and use the counters right after its own. */
  private int repeats(int group, int claim) {
    Ask first = batch.head(group);
    int size = first.claims().length;
    int count = 1;
    while (group + count < batch.groups
        && batch.sizes[group + count] == batch.sizes[group]
        && isShapedLike(first, batch.head(group + count))
        && isAlone(first, claim) == isAlone(first, claim + count * size)
        && follow(claim, claim + count * size, size, count * size)) {
      count++;
    }
    return count;
  }

  /** Whether the counters of a request are no other's, and each is asked once. */
  private boolean isAlone(Ask ask, int claim) {
    for (int i = 0; i < ask.claims().length; i++) {
      if (batch.uses[batch.counterOf[claim + i]] != 1) {
        return false;
      }
    }
    return true;
  }

  private static boolean isShapedLike(Ask a, Ask b) {
    if (hasTime(a.mode()) || a.mode() != b.mode() || a.claims().length != b.claims().length) {
      return false;
    }
    for (int i = 0; i < a.claims().length; i++) {
      if (a.claims()[i].limit() != b.claims()[i].limit()
          || a.claims()[i].cost() != b.claims()[i].cost()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the counters of some claims are those of others, moved on by {@code distance}. */
  private boolean follow(int claim, int other, int size, int distance) {
    for (int i = 0; i < size; i++) {
      if (batch.counterOf[other + i] != batch.counterOf[claim + i] + distance) {
        return false;
      }
    }
    return true;
  }

  private void write(Ask ask, int claim, int alike, int repeats) {
    int first = batch.counterOf[claim];
    for (int i = 1; i < ask.claims().length; i++) {
      first = Math.min(first, batch.counterOf[claim + i]);
    }
    int how = wire(ask.mode()) + (isAlone(ask, claim) ? ALONE : 0);
    bytes.number(repeats, 2).number(how, 1).number(alike, 2);
    bytes.number(first + 1, 2).number(ask.claims().length, 2);
    for (int i = 0; i < ask.claims().length; i++) {
      Claim one = ask.claims()[i];
      bytes.number(batch.counterOf[claim + i] - first, 2).number(limit(one.limit()) + 1, 2);
      if (one.cost() < 256) {
        bytes.number(one.cost(), 1);
      } else {
        bytes.number(0, 1).number(one.cost(), 7);
      }
    }
    if (hasTime(ask.mode())) {
      bytes.number(ask.when(Terms.MAX_EXACT), 7);
    }
  }

  private byte[] head(long now, Setup setup) {
    Bytes head = new Bytes().number(batch.number, 4).number(now, 7);
    return head.number(setup.nameBytes(), 1).number(setup.restBytes(), 1).copy();
  }

  /** The place of a limit among the limits, new if need be. The last ones are the likeliest. */
  private int limit(Limit limit) {
    for (int i = limitCount - 1; i >= 0; i--) {
      if (limits[i] == limit) {
        return i;
      }
    }
    limits[limitCount] = limit;
    return limitCount++;
  }

  private void describe(@Nullable Limit limit) {
    if (limit != null) {
      Terms t = limit.terms();
      byte[] name = limit.algorithm().name().getBytes(US_ASCII);
      bytes.number(name.length, 1).add(name).number(limit.shadow() ? 1 : 0, 1);
      bytes.number(t.permits(), 7).number(t.period(), 7).number(t.burst(), 7);
      bytes.number(t.coolDown(), 7).number(t.unit(), 7).number(t.p(), 7).number(t.q(), 7);
      bytes.number(t.slices(), 7);
    }
  }

  private static int wire(Mode mode) {
    return switch (mode) {
      case TAKE -> 0;
      case PEEK -> 1;
      case FORCE -> 2;
      case REFUND -> 3;
      case LEASE -> 4;
    };
  }

  /** Whether it may count from an earlier time, which is then told. */
  private static boolean hasTime(Mode mode) {
    return mode == Mode.FORCE || mode == Mode.REFUND;
  }
}

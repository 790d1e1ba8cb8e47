package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.algorithm.LimitParameters;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.PendingDecision;
import io.weir.store.StoreOperation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Puts a batch into the words of the script, as {@code shelf.lua} reads them. */
final class RequestEncoder {
  private static final int INDEPENDENT_FLAG = 8;

  private final RedisBatch batch;
  private final ByteWriter bytes = new ByteWriter();
  private final @Nullable Limit[] limits = new Limit[RedisBatch.MAX_COUNTERS];
  private int limitCount;

  RequestEncoder(RedisBatch batch) {
    this.batch = batch;
  }

  void clear() {
    Arrays.fill(limits, 0, limitCount, null);
    limitCount = 0;
  }

  /** What the script is called with. */
  byte[][] encodeArguments(long now, RedisLayout setup) {
    bytes.clear();
    int claim = 0;
    for (int g = 0; g < batch.groupCount; ) {
      int repeats = countRepeats(g, claim);
      writeRequests(batch.groupHead(g), claim, batch.groupSizes[g], repeats);
      claim += repeats * batch.groupHead(g).claims().length;
      g += repeats;
    }
    byte[] requests = bytes.toByteArray();
    bytes.clear();
    for (int i = 0; i < limitCount; i++) {
      writeLimit(limits[i]);
    }
    byte[] described = bytes.toByteArray();
    bytes.clear();
    for (int i = 0; i < batch.counterCount; i++) {
      setup.writeKey(batch.counterKeys[i], bytes);
    }
    return new byte[][] {encodeHeader(now, setup), described, requests, bytes.toByteArray()};
  }

  /** How many groups from this one on have its shape and use the counters right after its own. */
  private int countRepeats(int group, int claim) {
    PendingDecision first = batch.groupHead(group);
    int size = first.claims().length;
    int count = 1;
    while (group + count < batch.groupCount
        && batch.groupSizes[group + count] == batch.groupSizes[group]
        && hasSameShape(first, batch.groupHead(group + count))
        && isIndependent(first, claim) == isIndependent(first, claim + count * size)
        && countersFollow(claim, claim + count * size, size, count * size)) {
      count++;
    }
    return count;
  }

  /** Whether the counters of a request are no other's, and each is asked once. */
  private boolean isIndependent(PendingDecision ask, int claim) {
    for (int i = 0; i < ask.claims().length; i++) {
      if (batch.claimsOfCounter[batch.counterOfClaim[claim + i]] != 1) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasSameShape(PendingDecision a, PendingDecision b) {
    if (carriesTime(a.operation())
        || a.operation() != b.operation()
        || a.claims().length != b.claims().length) {
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
  private boolean countersFollow(int claim, int other, int size, int distance) {
    for (int i = 0; i < size; i++) {
      if (batch.counterOfClaim[other + i] != batch.counterOfClaim[claim + i] + distance) {
        return false;
      }
    }
    return true;
  }

  private void writeRequests(PendingDecision ask, int claim, int alike, int repeats) {
    int first = batch.counterOfClaim[claim];
    for (int i = 1; i < ask.claims().length; i++) {
      first = Math.min(first, batch.counterOfClaim[claim + i]);
    }
    int how = operationCode(ask.operation()) + (isIndependent(ask, claim) ? INDEPENDENT_FLAG : 0);
    bytes.putNumber(repeats, 2).putNumber(how, 1).putNumber(alike, 2);
    bytes.putNumber(first + 1, 2).putNumber(ask.claims().length, 2);
    for (int i = 0; i < ask.claims().length; i++) {
      Claim one = ask.claims()[i];
      bytes
          .putNumber(batch.counterOfClaim[claim + i] - first, 2)
          .putNumber(limitIndex(one.limit()) + 1, 2);
      if (one.cost() < 256) {
        bytes.putNumber(one.cost(), 1);
      } else {
        bytes.putNumber(0, 1).putNumber(one.cost(), 7);
      }
    }
    if (carriesTime(ask.operation())) {
      bytes.putNumber(ask.chargeTime(LimitParameters.MAX_EXACT_INTEGER), 7);
    }
  }

  private byte[] encodeHeader(long now, RedisLayout setup) {
    ByteWriter head = new ByteWriter().putNumber(batch.callNumber, 4).putNumber(now, 7);
    return head.putNumber(setup.fieldNameBytes(), 1)
        .putNumber(setup.keySuffixBytes(), 1)
        .toByteArray();
  }

  /** The place of a limit among the limits, new if need be. The last ones are the likeliest. */
  private int limitIndex(Limit limit) {
    for (int i = limitCount - 1; i >= 0; i--) {
      if (limits[i] == limit) {
        return i;
      }
    }
    limits[limitCount] = limit;
    return limitCount++;
  }

  private void writeLimit(@Nullable Limit limit) {
    if (limit != null) {
      LimitParameters t = limit.parameters();
      byte[] name = limit.algorithm().name().getBytes(US_ASCII);
      bytes.putNumber(name.length, 1).putBytes(name).putNumber(limit.shadow() ? 1 : 0, 1);
      bytes.putNumber(t.permits(), 7).putNumber(t.periodMicros(), 7).putNumber(t.burst(), 7);
      bytes
          .putNumber(t.coolDownMicros(), 7)
          .putNumber(t.unitsPerPermit(), 7)
          .putNumber(t.rateUnits(), 7)
          .putNumber(t.rateMicros(), 7);
      bytes.putNumber(t.sliceCount(), 7);
    }
  }

  private static int operationCode(StoreOperation mode) {
    return switch (mode) {
      case TAKE -> 0;
      case PEEK -> 1;
      case FORCE -> 2;
      case REFUND -> 3;
      case LEASE -> 4;
    };
  }

  /** Whether it may count from an earlier time, which is then told. */
  private static boolean carriesTime(StoreOperation mode) {
    return mode == StoreOperation.FORCE || mode == StoreOperation.REFUND;
  }
}

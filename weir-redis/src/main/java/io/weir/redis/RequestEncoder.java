package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.internal.algorithm.CalendarWindow;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.internal.rule.LimitTimeline;
import io.weir.internal.rule.LimitTimeline.Stretch;
import io.weir.internal.store.PendingDecision;
import io.weir.store.StoreOperation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Encodes a batch as the arguments of the script, in the format that {@code shard.lua} reads. */
final class RequestEncoder {
  private static final int INDEPENDENT_FLAG = 8;
  private static final int SHADOW_FLAG = 1;
  private static final int DEFERRED_FLAG = 2;
  private static final int TIMELINE_FLAG = 4;

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

  /** Returns the arguments of the script call. */
  byte[][] encodeArguments(long now, RedisLayout layout) {
    bytes.clear();
    int claim = 0;
    for (int group = 0; group < batch.groupCount; ) {
      int repeats = countRepeats(group, claim);
      writeRequests(batch.groupHead(group), claim, batch.groupSizes[group], repeats);
      claim += repeats * batch.groupHead(group).claims().length;
      group += repeats;
    }
    byte[] requests = bytes.toByteArray();
    bytes.clear();
    for (int i = 0; i < limitCount; i++) {
      writeLimit(limits[i], now == 0 ? batch.sentMicros : now);
    }
    byte[] described = bytes.toByteArray();
    bytes.clear();
    for (int i = 0; i < batch.counterCount; i++) {
      layout.writeKey(batch.counterKeys[i], bytes);
    }
    byte[] keys = bytes.toByteArray();
    byte[] header = encodeHeader(now, layout);
    return batch.usesSlots
        ? new byte[][] {header, described, requests, keys, encodeAnnouncement()}
        : new byte[][] {header, described, requests, keys};
  }

  /** Encodes what this node holds of the in-flight limits among the counters. */
  private byte[] encodeAnnouncement() {
    batch.announceSlots();
    ByteWriter announcement = new ByteWriter().putNumber(batch.slotHolder(), 6);
    announcement.putNumber(batch.sequence, 6).putNumber(batch.slotLeaseMicros(), 7);
    for (int i = 0; i < batch.counterCount; i++) {
      if (batch.isInFlight[i]) {
        announcement.putNumber(i + 1, 2).putNumber(batch.announcedSlots[i], 4);
      }
    }
    return announcement.toByteArray();
  }

  /** Counts the groups from this one on that have its shape and use consecutive counters. */
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

  /**
   * Returns whether no other claim uses the counters of a request, and none counts slots, whose
   * states are changed by the announcement too.
   */
  private boolean isIndependent(PendingDecision request, int claim) {
    for (int i = 0; i < request.claims().length; i++) {
      if (batch.isInFlight[batch.counterOfClaim[claim + i]]
          || batch.claimsOfCounter[batch.counterOfClaim[claim + i]] != 1) {
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

  /** Returns whether two sequences of claims use counters that differ by {@code distance}. */
  private boolean countersFollow(int claim, int other, int size, int distance) {
    for (int i = 0; i < size; i++) {
      if (batch.counterOfClaim[other + i] != batch.counterOfClaim[claim + i] + distance) {
        return false;
      }
    }
    return true;
  }

  private void writeRequests(PendingDecision request, int claim, int groupSize, int repeats) {
    int firstCounter = batch.counterOfClaim[claim];
    for (int i = 1; i < request.claims().length; i++) {
      firstCounter = Math.min(firstCounter, batch.counterOfClaim[claim + i]);
    }
    int operationByte =
        operationCode(request.operation()) + (isIndependent(request, claim) ? INDEPENDENT_FLAG : 0);
    bytes.putNumber(repeats, 2).putNumber(operationByte, 1).putNumber(groupSize, 2);
    bytes.putNumber(firstCounter + 1, 2).putNumber(request.claims().length, 2);
    for (int i = 0; i < request.claims().length; i++) {
      Claim claimToWrite = request.claims()[i];
      bytes
          .putNumber(batch.counterOfClaim[claim + i] - firstCounter, 2)
          .putNumber(limitIndex(claimToWrite.limit()) + 1, 2);
      if (claimToWrite.cost() < 256) {
        bytes.putNumber(claimToWrite.cost(), 1);
      } else {
        bytes.putNumber(0, 1).putNumber(claimToWrite.cost(), 7);
      }
    }
    if (carriesTime(request.operation())) {
      bytes.putNumber(request.chargeTime(LimitParameters.MAX_EXACT_INTEGER), 7);
    }
  }

  private byte[] encodeHeader(long now, RedisLayout layout) {
    ByteWriter header = new ByteWriter().putNumber(batch.callNumber, 4).putNumber(now, 7);
    return header
        .putNumber(layout.fieldNameBytes(), 1)
        .putNumber(layout.keySuffixBytes(), 1)
        .toByteArray();
  }

  /**
   * Returns the index of a limit, adding it if missing. Searches backward: a match is likely
   * recent.
   */
  private int limitIndex(Limit limit) {
    for (int i = limitCount - 1; i >= 0; i--) {
      if (limits[i] == limit) {
        return i;
      }
    }
    limits[limitCount] = limit;
    return limitCount++;
  }

  /**
   * Writes a limit. The parameters of one that changes with time are written for the stretches
   * around now; the script chooses by its own clock.
   */
  private void writeLimit(@Nullable Limit limit, long now) {
    if (limit == null) {
      return;
    }
    LimitTimeline timeline = limit.timeline();
    byte[] name = limit.algorithm().name().getBytes(US_ASCII);
    int flags =
        (limit.shadow() ? SHADOW_FLAG : 0)
            + (limit.deferred() ? DEFERRED_FLAG : 0)
            + (timeline == null ? 0 : TIMELINE_FLAG);
    bytes.putNumber(name.length, 1).putBytes(name).putNumber(flags, 1);
    if (timeline == null) {
      writeParameters(limit.parameters());
      return;
    }
    Stretch[] stretches = timeline.around(now);
    bytes.putNumber(stretches.length, 1);
    for (Stretch stretch : stretches) {
      CalendarWindow window = stretch.parameters().window();
      bytes.putNumber(stretch.until(), 7);
      bytes.putNumber(window == null ? LimitParameters.MAX_EXACT_INTEGER : window.start(), 7);
      bytes.putNumber(window == null ? 0 : window.since(), 7);
      writeParameters(stretch.parameters());
    }
  }

  private void writeParameters(LimitParameters t) {
    bytes.putNumber(t.permits(), 7).putNumber(t.periodMicros(), 7).putNumber(t.burst(), 7);
    bytes
        .putNumber(t.coolDownMicros(), 7)
        .putNumber(t.unitsPerPermit(), 7)
        .putNumber(t.rateUnits(), 7)
        .putNumber(t.rateMicros(), 7);
    bytes.putNumber(t.sliceCount(), 7);
  }

  private static int operationCode(StoreOperation operation) {
    return switch (operation) {
      case TAKE -> 0;
      case PEEK -> 1;
      case FORCE -> 2;
      case REFUND -> 3;
      case LEASE -> 4;
    };
  }

  /** Returns whether the operation may count from an earlier time, which is then encoded. */
  private static boolean carriesTime(StoreOperation operation) {
    return operation == StoreOperation.FORCE || operation == StoreOperation.REFUND;
  }
}

package io.weir.server.rls;

import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.weir.Request;
import io.weir.rule.Claim;
import io.weir.rule.Rate;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a call: each descriptor becomes a request, with the attributes a {@link EnvoyDescriptor}
 * says.
 *
 * <p>The entry {@code weir.mode} is no attribute but says how its descriptor is meant: {@code
 * charge} for what has happened already, {@code peek} for what is not to be charged.
 */
final class RateLimitRequestParser {
  static final int MAX_DESCRIPTORS = 64;
  static final int MAX_ENTRIES = Request.MAX_ATTRIBUTES - 2;
  static final int MAX_KEY_LENGTH = 256;

  private static final String RESERVED_PREFIX = "weir.";
  private static final String MODE_KEY = "weir.mode";
  private static final String CHARGE_MODE = "charge";
  private static final String PEEK_MODE = "peek";

  /** {@code bool is_negative_hits = 4} of a descriptor, which the messages we have do not know. */
  private static final int IS_NEGATIVE_HITS_FIELD = 4;

  private final RateLimitDescriptor descriptor;
  private String mode = "";

  private RateLimitRequestParser(RateLimitDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * What a call asks, descriptor by descriptor.
   *
   * @throws IllegalArgumentException saying what is wrong with it and what to write instead
   */
  static List<DescriptorRequest> parse(RateLimitRequest call) {
    if (call.getDomain().isEmpty()) {
      throw new IllegalArgumentException("domain is empty; write the name of one");
    }
    int count = call.getDescriptorsCount();
    if (count == 0 || count > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          count + " descriptors cannot be; write 1 to " + MAX_DESCRIPTORS);
    }
    long hits = call.getHitsAddend() == 0 ? 1 : Integer.toUnsignedLong(call.getHitsAddend());
    List<DescriptorRequest> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      try {
        all.add(
            new RateLimitRequestParser(call.getDescriptors(i))
                .toDescriptorRequest(call.getDomain(), hits));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("descriptors[" + i + "]: " + e.getMessage(), e);
      }
    }
    return all;
  }

  private DescriptorRequest toDescriptorRequest(String domain, long hitsOfCall) {
    int count = descriptor.getEntriesCount();
    if (count > MAX_ENTRIES) {
      throw new IllegalArgumentException(count + " entries cannot be; write 1 to " + MAX_ENTRIES);
    }
    EnvoyDescriptor attributes = new EnvoyDescriptor(domain);
    for (int i = 0; i < count; i++) {
      addEntry(descriptor.getEntries(i), attributes);
    }
    if (attributes.entryCount() == 0) {
      throw new IllegalArgumentException("has no entries; write at least one key and value");
    }
    Request request = Request.of(attributes.pairs());
    if (descriptor.hasLimit()) {
      request = request.limit(toRate(descriptor.getLimit()));
    }
    long hits = descriptor.hasHitsAddend() ? descriptor.getHitsAddend().getValue() : hitsOfCall;
    if (hits < 0 || hits > Claim.MAX_COST) {
      throw new IllegalArgumentException(
          "hits_addend of " + Long.toUnsignedString(hits) + " cannot be; write 0 to 2^53");
    }
    return toDescriptorRequest(request, hits);
  }

  private DescriptorRequest toDescriptorRequest(Request request, long hits) {
    boolean back = hasNegativeHits(descriptor);
    boolean peek = mode.equals(PEEK_MODE);
    boolean fact = back || mode.equals(CHARGE_MODE);
    if (back && peek) {
      throw new IllegalArgumentException(
          "is_negative_hits gives back and weir.mode peek does not; leave one out");
    }
    if (hits == 0) {
      return new DescriptorRequest(request, StoreOperation.PEEK, fact, true);
    }
    StoreOperation how =
        back
            ? StoreOperation.REFUND
            : fact ? StoreOperation.FORCE : peek ? StoreOperation.PEEK : StoreOperation.TAKE;
    return new DescriptorRequest(request.cost(hits), how, fact, false);
  }

  private void addEntry(RateLimitDescriptor.Entry entry, EnvoyDescriptor attributes) {
    String key = entry.getKey();
    if (key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key of " + key.length() + " characters cannot be; write 1 to " + MAX_KEY_LENGTH);
    }
    if (key.startsWith(RESERVED_PREFIX)) {
      setMode(key, entry.getValue());
    } else {
      attributes.add(key, entry.getValue());
    }
  }

  private void setMode(String key, String value) {
    if (!key.equals(MODE_KEY)) {
      throw new IllegalArgumentException(
          "'" + key + "' is none of the keys that begin with weir.; write weir.mode");
    }
    if (!value.equals(CHARGE_MODE) && !value.equals(PEEK_MODE)) {
      throw new IllegalArgumentException("weir.mode is neither charge nor peek; write one of them");
    }
    if (!mode.isEmpty()) {
      throw new IllegalArgumentException("weir.mode stands twice; write it once");
    }
    mode = value;
  }

  private static Rate toRate(RateLimitDescriptor.RateLimitOverride limit) {
    long permits = Integer.toUnsignedLong(limit.getRequestsPerUnit());
    return new Rate(permits, EnvoyTimeUnits.period(limit.getUnit()));
  }

  private static boolean hasNegativeHits(RateLimitDescriptor descriptor) {
    UnknownFieldSet unknown = descriptor.getUnknownFields();
    if (!unknown.hasField(IS_NEGATIVE_HITS_FIELD)) {
      return false;
    }
    List<Long> said = unknown.getField(IS_NEGATIVE_HITS_FIELD).getVarintList();
    return !said.isEmpty() && said.get(said.size() - 1) != 0;
  }
}

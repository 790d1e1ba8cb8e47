package io.weir.server.envoy;

import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.weir.Request;
import io.weir.internal.rule.Claim;
import io.weir.rule.Rate;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses a call of Envoy: each descriptor becomes a request with the attributes that {@link
 * EnvoyDescriptor} defines.
 *
 * <p>The entry {@code weir.mode} is not an attribute. It selects the operation of its descriptor:
 * {@code charge} for usage that has already happened, {@code peek} to decide without charging.
 */
final class RateLimitRequestParser {
  static final int MAX_DESCRIPTORS = 64;
  static final int MAX_ENTRIES = Request.MAX_ATTRIBUTES - 2;
  static final int MAX_KEY_LENGTH = 256;

  private static final String RESERVED_PREFIX = "weir.";
  private static final String MODE_KEY = "weir.mode";
  private static final String CHARGE_MODE = "charge";
  private static final String PEEK_MODE = "peek";

  /** {@code bool is_negative_hits = 4} of a descriptor, which the bundled messages lack. */
  private static final int IS_NEGATIVE_HITS_FIELD = 4;

  private final RateLimitDescriptor descriptor;
  private String mode = "";

  private RateLimitRequestParser(RateLimitDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * Returns the requests of a call, one per descriptor.
   *
   * @throws IllegalArgumentException if the call is invalid
   */
  static List<DescriptorRequest> parse(RateLimitRequest call) {
    if (call.getDomain().isEmpty()) {
      throw new IllegalArgumentException("domain must not be empty");
    }
    int count = call.getDescriptorsCount();
    if (count == 0 || count > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "a call must have 1 to " + MAX_DESCRIPTORS + " descriptors (was " + count + ")");
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
      throw new IllegalArgumentException(
          "a descriptor must have 1 to " + MAX_ENTRIES + " entries (was " + count + ")");
    }
    EnvoyDescriptor attributes = new EnvoyDescriptor(domain);
    for (int i = 0; i < count; i++) {
      addEntry(descriptor.getEntries(i), attributes);
    }
    if (attributes.entryCount() == 0) {
      throw new IllegalArgumentException("a descriptor must have at least one entry");
    }
    Request request = Request.of(attributes.pairs()).withoutFallbackAddress();
    if (descriptor.hasLimit()) {
      request = request.limit(toRate(descriptor.getLimit()));
    }
    long hits = descriptor.hasHitsAddend() ? descriptor.getHitsAddend().getValue() : hitsOfCall;
    if (hits < 0 || hits > Claim.MAX_COST) {
      throw new IllegalArgumentException(
          "hits_addend must be 0 to 2^53 (was " + Long.toUnsignedString(hits) + ")");
    }
    return toDescriptorRequest(request, hits);
  }

  private DescriptorRequest toDescriptorRequest(Request request, long hits) {
    boolean refund = hasNegativeHits(descriptor);
    boolean peek = mode.equals(PEEK_MODE);
    boolean happened = refund || mode.equals(CHARGE_MODE);
    if (refund && peek) {
      throw new IllegalArgumentException(
          "is_negative_hits and weir.mode peek exclude each other; use one of them");
    }
    if (hits == 0) {
      return new DescriptorRequest(request, StoreOperation.PEEK, happened, true);
    }
    StoreOperation operation =
        refund
            ? StoreOperation.REFUND
            : happened ? StoreOperation.FORCE : peek ? StoreOperation.PEEK : StoreOperation.TAKE;
    return new DescriptorRequest(request.cost(hits), operation, happened, false);
  }

  private void addEntry(RateLimitDescriptor.Entry entry, EnvoyDescriptor attributes) {
    String key = entry.getKey();
    if (key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key must have 1 to " + MAX_KEY_LENGTH + " characters (was " + key.length() + ")");
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
          "the only key that may begin with weir. is weir.mode (was '" + key + "')");
    }
    if (!value.equals(CHARGE_MODE) && !value.equals(PEEK_MODE)) {
      throw new IllegalArgumentException("weir.mode must be charge or peek");
    }
    if (!mode.isEmpty()) {
      throw new IllegalArgumentException("weir.mode must not occur twice");
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
    List<Long> values = unknown.getField(IS_NEGATIVE_HITS_FIELD).getVarintList();
    return !values.isEmpty() && values.get(values.size() - 1) != 0;
  }
}

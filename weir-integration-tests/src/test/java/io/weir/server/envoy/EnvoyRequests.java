package io.weir.server.envoy;

import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds requests as Envoy sends them. */
final class EnvoyRequests {
  private EnvoyRequests() {}

  static RateLimitRequest request(RateLimitDescriptor... descriptors) {
    return RateLimitRequest.newBuilder()
        .setDomain("edge")
        .addAllDescriptors(List.of(descriptors))
        .build();
  }

  /** Returns a descriptor with alternating keys and values. */
  static RateLimitDescriptor descriptor(String... pairs) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < pairs.length; i += 2) {
      descriptor.addEntriesBuilder().setKey(pairs[i]).setValue(pairs[i + 1]);
    }
    return descriptor.build();
  }

  static RateLimitDescriptor withHits(long hits, RateLimitDescriptor of) {
    return of.toBuilder().setHitsAddend(UInt64Value.of(hits)).build();
  }

  /** Sets {@code is_negative_hits: true}, as newer versions of Envoy do. */
  static RateLimitDescriptor withNegativeHits(RateLimitDescriptor of) {
    UnknownFieldSet.Field yes = UnknownFieldSet.Field.newBuilder().addVarint(1).build();
    return of.toBuilder()
        .setUnknownFields(UnknownFieldSet.newBuilder().addField(4, yes).build())
        .build();
  }

  static RateLimitDescriptor withLimit(int permits, RateLimitUnit unit, RateLimitDescriptor of) {
    return of.toBuilder()
        .setLimit(RateLimitOverride.newBuilder().setRequestsPerUnit(permits).setUnit(unit))
        .build();
  }

  static Map<String, String> headers(RateLimitResponse response) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (HeaderValue header : response.getResponseHeadersToAddList()) {
      if (headers.put(header.getKey(), header.getValue()) != null) {
        throw new AssertionError(header.getKey() + " occurs twice");
      }
    }
    return headers;
  }
}

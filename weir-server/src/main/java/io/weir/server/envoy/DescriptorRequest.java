package io.weir.server.envoy;

import io.weir.Request;
import io.weir.store.StoreOperation;

/**
 * One descriptor of a call as a request to the limiter.
 *
 * @param alreadyHappened whether the usage has already happened, so that it is charged or refunded
 *     and never refused
 * @param withoutHits whether it has no hits: decided separately, since it takes no permit that
 *     another descriptor of the call needs
 */
record DescriptorRequest(
    Request request, StoreOperation operation, boolean alreadyHappened, boolean withoutHits) {}

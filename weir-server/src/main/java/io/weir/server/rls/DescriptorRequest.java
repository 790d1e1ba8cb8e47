package io.weir.server.rls;

import io.weir.Request;
import io.weir.store.StoreOperation;

/**
 * What one descriptor asks of the limiter.
 *
 * @param alreadyHappened whether it has happened already, so that it is charged or given back and
 *     never refused
 * @param withoutHits whether it costs nothing: judged by itself, for it uses up no permit that
 *     another descriptor of the call needs
 */
record DescriptorRequest(
    Request request, StoreOperation operation, boolean alreadyHappened, boolean withoutHits) {}

package io.weir.server.rls;

import io.weir.Request;
import io.weir.store.Mode;

/**
 * What one descriptor asks of the limiter.
 *
 * @param fact whether it has happened already, so that it is charged or given back and never
 *     refused
 */
record Asked(Request request, Mode mode, boolean fact) {}

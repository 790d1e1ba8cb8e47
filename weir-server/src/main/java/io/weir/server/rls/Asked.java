package io.weir.server.rls;

import io.weir.Request;
import io.weir.store.Mode;

/**
 * What one descriptor asks of the limiter.
 *
 * @param fact whether it has happened already, so that it is charged or given back and never
 *     refused
 * @param free whether it costs nothing: judged by itself, for it uses up no permit that another
 *     descriptor of the call needs
 */
record Asked(Request request, Mode mode, boolean fact, boolean free) {}

package io.weir.gateway;

import io.vertx.core.http.HttpMethod;
import io.weir.gateway.routing.LoadBalancer;
import io.weir.gateway.routing.LoadBalancer.Candidate;
import io.weir.gateway.routing.RetryBudget;
import io.weir.gateway.routing.RouteTarget;
import io.weir.http.IdentifiedRequest;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The upstreams of a route, as one event loop uses them: connections, load and retries. */
final class UpstreamRoute {
  private static final Set<HttpMethod> IDEMPOTENT_METHODS =
      Set.of(
          HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.PUT, HttpMethod.DELETE);

  private final RouteTarget target;
  private final LoadBalancer<UpstreamConnections> balancer;
  private final RetryBudget retryBudget = new RetryBudget();

  UpstreamRoute(RouteTarget target, List<Candidate<UpstreamConnections>> candidates) {
    this.target = target;
    balancer = new LoadBalancer<>(target.balance(), candidates);
  }

  /** Chooses the upstream of a new request. */
  Candidate<UpstreamConnections> choose(IdentifiedRequest call) {
    retryBudget.countRequest();
    return balancer.choose(hashKey(call), null);
  }

  /** Chooses the upstream of a retry: another one, if there is one. */
  Candidate<UpstreamConnections> chooseOther(
      IdentifiedRequest call, Candidate<UpstreamConnections> failed) {
    return balancer.choose(hashKey(call), failed);
  }

  private @Nullable String hashKey(IdentifiedRequest call) {
    return target.hashAttribute().isEmpty() ? null : call.request().get(target.hashAttribute());
  }

  /** The target to forward, with the prefix of the route rewritten. */
  String rewritten(String requestTarget) {
    return target.rewritten(requestTarget);
  }

  /**
   * Whether a request without a body, which has failed, may be sent again; counts the retry.
   *
   * @param retries how often it was sent again before
   */
  boolean tryRetry(HttpMethod method, int retries, ForwardingFailure failure) {
    boolean isTransient =
        failure == ForwardingFailure.BROKEN
            || failure == ForwardingFailure.UNREACHABLE
            || failure == ForwardingFailure.LATE;
    return isTransient
        && retries < target.retries()
        && IDEMPOTENT_METHODS.contains(method)
        && retryBudget.tryRetry();
  }
}

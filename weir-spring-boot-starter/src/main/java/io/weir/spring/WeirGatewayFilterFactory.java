package io.weir.spring;

import static java.util.Objects.requireNonNullElse;

import io.weir.Limiter;
import io.weir.http.BadRequestException;
import io.weir.http.IdentityResolver;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.support.HasRouteId;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Limits a route of Spring Cloud Gateway: {@code - Weir=100/m}, or {@code - Weir=100/m,
 * header.x-tenant}, or with the names of {@link Config}.
 */
public final class WeirGatewayFilterFactory
    extends AbstractGatewayFilterFactory<WeirGatewayFilterFactory.Config> {
  private final RateLimitService service;
  private final WeirProperties settings;
  private final SpelExpressions expressions;

  WeirGatewayFilterFactory(
      RateLimitService desk, WeirProperties settings, SpelExpressions expressions) {
    super(Config.class);
    this.service = desk;
    this.settings = settings;
    this.expressions = expressions;
  }

  @Override
  public List<String> shortcutFieldOrder() {
    return List.of("limit", "per");
  }

  @Override
  public GatewayFilter apply(Config config) {
    if (settings.mode() == WeirMode.OFF) {
      return (exchange, chain) -> chain.filter(exchange);
    }
    Set<String> own = settings.attributes().keySet();
    PerAttributes per = PerAttributes.parse(List.of(config.per), own, expressions);
    RuleBuilder rule =
        Rule.named(RuleIds.fromName("route-" + requireNonNullElse(config.routeId, "unnamed")))
            .per(per.attributes().toArray(new String[0]))
            .limit(config.limit)
            .shadow(config.shadow || settings.mode() == WeirMode.SHADOW);
    RuleSet rules = RuleSet.of((config.burst == 0 ? rule : rule.burst(config.burst)).build());
    List<String> derived =
        per.attributes().stream()
            .filter(name -> name.endsWith(AttributeNames.OR_IP_SUFFIX))
            .toList();
    StagedRuleSet.StageRules part =
        new StagedRuleSet.StageRules(rules, false, derived, per.expressions());
    List<String> headers =
        derived.stream().map(AttributeNames::headerName).flatMap(Optional::stream).toList();
    return new RouteFilter(
        service, service.limiter(rules), part, settings.identity().resolverFor(headers));
  }

  /** The filter of one route. */
  private record RouteFilter(
      RateLimitService service,
      Limiter limiter,
      StagedRuleSet.StageRules stageRules,
      IdentityResolver identity)
      implements GatewayFilter {

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
      return exchange
          .getPrincipal()
          .map(Optional::<Principal>of)
          .defaultIfEmpty(Optional.empty())
          .flatMap(who -> decide(new WebFluxRequest(exchange, who.orElse(null), null), chain));
    }

    private Mono<Void> decide(WebFluxRequest call, GatewayFilterChain chain) {
      ReactiveDecisionHandler answer = new ReactiveDecisionHandler(call.exchange());
      try {
        return answer.decide(
            limiter,
            service.read(call, identity, stageRules),
            Mono.defer(() -> chain.filter(call.exchange())));
      } catch (BadRequestException e) {
        return answer.refuse(e);
      }
    }

    @Override
    public String toString() {
      return "Weir " + stageRules.rules().rules();
    }
  }

  /** What a route says. */
  public static final class Config implements HasRouteId {
    private String limit = "";
    private String per = AttributeNames.PRINCIPAL;
    private long burst;
    private boolean shadow;
    private @Nullable String routeId;

    /** How many per how long, such as {@code 100/m}. */
    public void setLimit(String rate) {
      limit = rate;
    }

    /** Per what is counted, as {@link RateLimit#per} says it. */
    public void setPer(String one) {
      per = one;
    }

    /** The bucket's size; the limit itself if not said. */
    public void setBurst(long permits) {
      burst = permits;
    }

    /** Whether it is judged but not enforced. */
    public void setShadow(boolean yes) {
      shadow = yes;
    }

    @Override
    public void setRouteId(String id) {
      routeId = id;
    }

    @Override
    public @Nullable String getRouteId() {
      return routeId;
    }
  }
}

package io.weir.spring;

import static java.util.Objects.requireNonNullElse;

import io.weir.Limiter;
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
 * Limits a route of Spring Cloud Gateway. The short form is {@code - Weir=100/m} or {@code -
 * Weir=100/m, header.x-tenant}; the long form uses the property names of {@link Config}.
 */
public final class WeirGatewayFilterFactory
    extends AbstractGatewayFilterFactory<WeirGatewayFilterFactory.Config> {
  private final RateLimitService service;
  private final WeirProperties settings;
  private final SpelExpressions expressions;

  WeirGatewayFilterFactory(
      RateLimitService service, WeirProperties settings, SpelExpressions expressions) {
    super(Config.class);
    this.service = service;
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
    Set<String> customAttributes = settings.attributes().keySet();
    PerAttributes per = PerAttributes.parse(List.of(config.per), customAttributes, expressions);
    String id = RuleIds.fromName("route-" + requireNonNullElse(config.routeId, "unnamed"));
    per.expressions().values().forEach(text -> expressions.recordUse(text, "rule " + id));
    RuleBuilder rule =
        Rule.named(id)
            .per(per.attributes().toArray(new String[0]))
            .limit(config.limit)
            .shadow(config.shadow || settings.mode() == WeirMode.SHADOW);
    RuleSet rules = RuleSet.of((config.burst == 0 ? rule : rule.burst(config.burst)).build());
    List<String> derived =
        per.attributes().stream()
            .filter(name -> name.endsWith(AttributeNames.OR_IP_SUFFIX))
            .toList();
    StagedRuleSet.StageRules stageRules =
        new StagedRuleSet.StageRules(rules, false, derived, per.expressions());
    List<String> headers =
        derived.stream().map(AttributeNames::headerName).flatMap(Optional::stream).toList();
    return new RouteFilter(
        service, service.limiter(rules), stageRules, settings.identity().resolverFor(headers));
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
          .<Principal>getPrincipal()
          .singleOptional()
          .map(principal -> new WebFluxRequest(exchange, principal.orElse(null), null))
          .flatMap(
              request ->
                  new ReactiveDecisionHandler(service, exchange)
                      .decide(
                          limiter,
                          () -> service.read(request, identity, stageRules),
                          Mono.defer(() -> chain.filter(exchange))));
    }

    @Override
    public String toString() {
      return "Weir " + stageRules.rules().rules();
    }
  }

  /** The arguments of the filter in a route definition. */
  public static final class Config implements HasRouteId {
    private String limit = "";
    private String per = AttributeNames.PRINCIPAL;
    private long burst;
    private boolean shadow;
    private @Nullable String routeId;

    /** Sets the rate, for example {@code 100/m}. */
    public void setLimit(String rate) {
      limit = rate;
    }

    /** Sets the attribute to count by, in the syntax of {@link RateLimit#per}. */
    public void setPer(String attribute) {
      per = attribute;
    }

    /** Sets the size of the bucket; by default the permits of the rate. */
    public void setBurst(long permits) {
      burst = permits;
    }

    /** Sets whether the limit is counted but not enforced. */
    public void setShadow(boolean enabled) {
      shadow = enabled;
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

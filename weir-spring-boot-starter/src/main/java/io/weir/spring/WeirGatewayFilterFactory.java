package io.weir.spring;

import static java.util.Objects.requireNonNullElse;

import io.weir.Limiter;
import io.weir.http.BadRequestException;
import io.weir.http.Identity;
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
  private final Desk desk;
  private final WeirProperties settings;
  private final Expressions expressions;

  WeirGatewayFilterFactory(Desk desk, WeirProperties settings, Expressions expressions) {
    super(Config.class);
    this.desk = desk;
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
    Counting per = Counting.per(List.of(config.per), own, expressions);
    RuleBuilder rule =
        Rule.named(RuleIds.of("route-" + requireNonNullElse(config.routeId, "unnamed")))
            .per(per.attributes().toArray(new String[0]))
            .limit(config.limit)
            .shadow(config.shadow || settings.mode() == WeirMode.SHADOW);
    RuleSet rules = RuleSet.of((config.burst == 0 ? rule : rule.burst(config.burst)).build());
    List<String> derived =
        per.attributes().stream().filter(name -> name.endsWith(Attribute.OR_IP)).toList();
    Plan.Part part = new Plan.Part(rules, false, derived, per.expressions());
    List<String> headers =
        derived.stream().map(Attribute::header).flatMap(Optional::stream).toList();
    return new Filter(desk, desk.limiter(rules), part, settings.identity().reading(headers));
  }

  /** The filter of one route. */
  private record Filter(Desk desk, Limiter limiter, Plan.Part part, Identity identity)
      implements GatewayFilter {

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
      return exchange
          .getPrincipal()
          .map(Optional::<Principal>of)
          .defaultIfEmpty(Optional.empty())
          .flatMap(who -> decide(new ReactiveCall(exchange, who.orElse(null), null), chain));
    }

    private Mono<Void> decide(ReactiveCall call, GatewayFilterChain chain) {
      ReactiveAnswer answer = new ReactiveAnswer(call.exchange());
      try {
        return answer.decide(
            limiter,
            desk.read(call, identity, part),
            Mono.defer(() -> chain.filter(call.exchange())));
      } catch (BadRequestException e) {
        return answer.refuse(e);
      }
    }

    @Override
    public String toString() {
      return "Weir " + part.rules().rules();
    }
  }

  /** What a route says. */
  public static final class Config implements HasRouteId {
    private String limit = "";
    private String per = Attribute.PRINCIPAL;
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

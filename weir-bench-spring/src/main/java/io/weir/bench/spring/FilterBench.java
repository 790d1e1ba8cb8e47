package io.weir.bench.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/**
 * Measures the filter of one starter and prints {@code ns=value}: mock requests of 10,000 callers
 * through the filter alone, on one thread.
 *
 * <p>Arguments: the filter ({@code none}, {@code weir}, {@code weir-annotation}, {@code bucket4j})
 * and the number of requests.
 */
final class FilterBench {
  private static final int CALLERS = 10_000;
  private static final FilterChain END = (request, response) -> {};

  private static final List<String> WEIR =
      List.of(
          "bucket4j.enabled=false",
          "weir.rules[0].id=api",
          "weir.rules[0].match.endpoint=GET /hello",
          "weir.rules[0].per=ip",
          "weir.rules[0].limit=1000000/h");
  private static final List<String> BUCKET4J =
      List.of(
          "weir.mode=off",
          "spring.cache.jcache.provider="
              + "com.github.benmanes.caffeine.jcache.spi.CaffeineCachingProvider",
          "bucket4j.enabled=true",
          "bucket4j.filters[0].cache-name=buckets",
          "bucket4j.filters[0].url=/hello",
          "bucket4j.filters[0].rate-limits[0].cache-key=getRemoteAddr()",
          "bucket4j.filters[0].rate-limits[0].bandwidths[0].capacity=1000000",
          "bucket4j.filters[0].rate-limits[0].bandwidths[0].time=1",
          "bucket4j.filters[0].rate-limits[0].bandwidths[0].unit=hours",
          "bucket4j.filters[0].rate-limits[0].bandwidths[0].refill-speed=interval");

  private FilterBench() {}

  public static void main(String[] args) throws Exception {
    String which = args[0];
    int requests = Integer.parseInt(args[1]);
    try (ConfigurableApplicationContext app = start(which.equals("bucket4j") ? BUCKET4J : WEIR)) {
      Filter filter = filter(app, which);
      String path = which.equals("weir-annotation") ? "/annotated" : "/hello";
      boolean limited = !which.equals("none");
      run(filter, path, limited, 2 * requests); // JIT warm-up
      System.out.println("ns=" + run(filter, path, limited, requests));
    }
  }

  private static ConfigurableApplicationContext start(List<String> settings) {
    return new SpringApplicationBuilder(BenchApplication.class)
        .properties(settings.toArray(new String[0]))
        .properties("server.port=0", "logging.level.root=error", "spring.main.banner-mode=off")
        .run();
  }

  private static Filter filter(ConfigurableApplicationContext app, String which) {
    if (which.equals("none")) {
      return (request, response, chain) -> chain.doFilter(request, response);
    }
    Collection<Filter> filters =
        which.equals("bucket4j")
            ? app.getBeansOfType(Filter.class).values()
            : List.of(weir(app.getBeansOfType(FilterRegistrationBean.class)));
    String packageName = which.equals("bucket4j") ? "com.giffing" : "io.weir";
    return filters.stream()
        .filter(candidate -> candidate.getClass().getName().startsWith(packageName))
        .findAny()
        .orElseThrow(() -> new IllegalStateException(which + " has no filter"));
  }

  private static Filter weir(
      @SuppressWarnings("rawtypes") Map<String, FilterRegistrationBean> all) {
    FilterRegistrationBean<?> bean = all.get("weirFilter");
    if (bean == null || bean.getFilter() == null) {
      throw new IllegalStateException("Weir has no filter");
    }
    return bean.getFilter();
  }

  /** Returns the CPU time of this thread per request in nanoseconds; other threads do not count. */
  private static double run(Filter filter, String path, boolean limited, int requests)
      throws ServletException, IOException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long startNanos = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < requests; i++) {
      int caller = i % CALLERS;
      MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
      request.setRemoteAddr("10.0." + caller / 250 + "." + caller % 250);
      MockHttpServletResponse response = new MockHttpServletResponse();
      filter.doFilter(request, response, END);
      boolean hasHeader =
          response.getHeader("X-RateLimit-Remaining") != null
              || response.getHeader("X-Rate-Limit-Remaining") != null;
      if (response.getStatus() != 200 || hasHeader != limited) {
        throw new IllegalStateException("unexpected response: " + response.getStatus());
      }
    }
    return (double) (threads.getCurrentThreadCpuTime() - startNanos) / requests;
  }
}

package io.weir.testkit.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestExecutionListeners;
import org.springframework.test.context.TestExecutionListeners.MergeMode;

/**
 * Lets a Spring test control the limiter's time. Together with {@code @SpringBootTest} it replaces
 * the application's store by one in memory that runs by a {@link io.weir.testkit.FakeClock}, which
 * can be injected, and resets all counters before every test method.
 *
 * <pre>{@code
 * @SpringBootTest
 * @WeirTest
 * class QuotesTest {
 *   @Autowired FakeClock clock;
 *   …
 *   clock.advance(Duration.ofSeconds(6));
 * }
 * }</pre>
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(WeirTestConfiguration.class)
@TestExecutionListeners(
    listeners = CounterResetListener.class,
    mergeMode = MergeMode.MERGE_WITH_DEFAULTS)
public @interface WeirTest {}

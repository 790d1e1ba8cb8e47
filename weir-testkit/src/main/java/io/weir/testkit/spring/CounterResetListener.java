package io.weir.testkit.spring;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Resets all counters before each test method. */
final class CounterResetListener implements TestExecutionListener {

  @Override
  public void beforeTestMethod(TestContext test) {
    test.getApplicationContext().getBean(ResettableStore.class).reset();
  }
}

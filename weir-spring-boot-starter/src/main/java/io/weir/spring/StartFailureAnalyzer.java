package io.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a {@link StartFailureException} as a Spring Boot failure analysis, without a stack trace.
 */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartFailureException> {

  @Override
  protected FailureAnalysis analyze(Throwable root, StartFailureException failure) {
    return new FailureAnalysis(String.valueOf(failure.getMessage()), failure.action(), failure);
  }
}

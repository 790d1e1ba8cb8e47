package io.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a {@link StartFailure} as Spring Boot shows its own, without a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartFailure> {

  @Override
  protected FailureAnalysis analyze(Throwable root, StartFailure failure) {
    return new FailureAnalysis(String.valueOf(failure.getMessage()), failure.action(), failure);
  }
}

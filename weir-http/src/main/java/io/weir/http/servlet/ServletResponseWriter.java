package io.weir.http.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Decision;
import io.weir.http.BadRequestException;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import io.weir.internal.JsonText;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Writes rate limit headers, refusals and errors to a servlet response. */
public record ServletResponseWriter(HttpServletResponse response) {

  /** Sets the rate limit headers of a decision. */
  public void writeRateLimitHeaders(Decision decision) {
    RateLimitHeaders.write(decision, response::setHeader);
  }

  /** Writes a refusal. */
  public void writeRejection(RefusalResponse refusal) throws IOException {
    write(refusal.status(), refusal.contentType(), refusal.body());
  }

  /** Writes the response to a malformed or ambiguous request. */
  public void writeRejection(BadRequestException e) throws IOException {
    writeError(BadRequestException.STATUS, "bad_request", String.valueOf(e.getMessage()));
  }

  /** Writes an error with a code and a message that says what to do instead. */
  public void writeError(int status, String error, String message) throws IOException {
    write(status, RefusalResponse.JSON, JsonText.error(error, message));
  }

  private void write(int status, String type, String text) throws IOException {
    byte[] body = text.getBytes(UTF_8);
    response.setStatus(status);
    response.setContentType(type);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** Blocks this thread for the delay of an admitted request. */
  public static void sleepFor(Duration delay) {
    if (!delay.isZero()) {
      new CompletableFuture<Boolean>()
          .completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS)
          .join();
    }
  }
}

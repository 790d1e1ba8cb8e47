package io.weir.rules;

import io.weir.rule.Consistency;
import io.weir.rule.StoreFailureFallback;
import io.weir.rules.text.ParsedValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a field of a rule together with another that goes with one of its words only.
 *
 * @param choiceReader reads the field that has the word
 * @param dependentReader reads the field that goes with it
 */
record DependentFieldReader(FieldReader choiceReader, FieldReader dependentReader) {
  /** Used where a rule is synced and does not say how often. */
  static final Duration DEFAULT_SYNC_INTERVAL = Duration.ofMillis(100);

  /** Used where a rule's posture is local and it does not say how much. */
  static final int DEFAULT_LOCAL_SHARE_PERCENT = 10;

  private static final Map<String, Consistency.CountingMode> CONSISTENCY_KINDS =
      byLowerCaseName(Consistency.CountingMode.values());
  private static final Map<String, StoreFailureFallback.FallbackAction> FALLBACK_ANSWERS =
      byLowerCaseName(StoreFailureFallback.FallbackAction.values());

  Optional<Consistency> readConsistency(
      @Nullable ParsedValue kind, @Nullable ParsedValue syncEvery) {
    return readPair(
        CONSISTENCY_KINDS,
        kind,
        Consistency.CountingMode.SYNCED,
        syncEvery,
        value ->
            dependentReader
                .duration(value)
                .flatMap(e -> dependentReader.convert(value, e, Consistency::synced)),
        Consistency.synced(DEFAULT_SYNC_INTERVAL),
        alone -> new Consistency(alone, Duration.ZERO));
  }

  Optional<StoreFailureFallback> readFallback(
      @Nullable ParsedValue answer, @Nullable ParsedValue localShare) {
    return readPair(
        FALLBACK_ANSWERS,
        answer,
        StoreFailureFallback.FallbackAction.LOCAL,
        localShare,
        value ->
            dependentReader
                .percent(value)
                .flatMap(p -> dependentReader.convert(value, p, StoreFailureFallback::local)),
        StoreFailureFallback.local(DEFAULT_LOCAL_SHARE_PERCENT),
        alone -> new StoreFailureFallback(alone, 0));
  }

  private <E, T> Optional<T> readPair(
      Map<String, E> words,
      @Nullable ParsedValue written,
      E owner,
      @Nullable ParsedValue part,
      Function<ParsedValue, Optional<T>> reader,
      T whole,
      Function<E, T> alone) {
    Optional<E> chosen = written == null ? Optional.empty() : choiceReader.oneOf(written, words);
    Optional<T> read = part == null ? Optional.of(whole) : reader.apply(part);
    if (chosen.isPresent() && chosen.get().equals(owner)) {
      return read;
    }
    if (part != null && read.isPresent() && (chosen.isPresent() || written == null)) {
      String needed = choiceReader.field() + ": " + String.valueOf(owner).toLowerCase(Locale.ROOT);
      dependentReader.report(
          part.position(), "goes with " + needed + " only; leave it out, or write that");
    }
    return chosen.map(alone);
  }

  private static <E extends Enum<E>> Map<String, E> byLowerCaseName(E[] all) {
    Map<String, E> names = new LinkedHashMap<>();
    for (E one : all) {
      names.put(one.name().toLowerCase(Locale.ROOT), one);
    }
    return names;
  }
}

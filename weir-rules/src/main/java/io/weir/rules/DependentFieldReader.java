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
 * Reads a field of a rule that selects one of several words, together with a second field that is
 * allowed with one of these words only, for example {@code consistency} and {@code sync-every}.
 *
 * @param choiceReader reads the field that selects the word
 * @param dependentReader reads the dependent field
 */
record DependentFieldReader(FieldReader choiceReader, FieldReader dependentReader) {
  /** The interval of synced rules that do not set {@code sync-every}. */
  static final Duration DEFAULT_SYNC_INTERVAL = Duration.ofMillis(100);

  /** The share, in percent, of rules with a local fallback that do not set {@code local-share}. */
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
      @Nullable ParsedValue choice,
      E requiredChoice,
      @Nullable ParsedValue dependent,
      Function<ParsedValue, Optional<T>> reader,
      T defaultValue,
      Function<E, T> alone) {
    Optional<E> chosen = choice == null ? Optional.empty() : choiceReader.oneOf(choice, words);
    Optional<T> read = dependent == null ? Optional.of(defaultValue) : reader.apply(dependent);
    if (chosen.isPresent() && chosen.get().equals(requiredChoice)) {
      return read;
    }
    if (dependent != null && read.isPresent() && (chosen.isPresent() || choice == null)) {
      String needed =
          choiceReader.field() + ": " + String.valueOf(requiredChoice).toLowerCase(Locale.ROOT);
      dependentReader.report(dependent.position(), "must be left out unless " + needed + " is set");
    }
    return chosen.map(alone);
  }

  static <E extends Enum<E>> Map<String, E> byLowerCaseName(E[] constants) {
    Map<String, E> names = new LinkedHashMap<>();
    for (E constant : constants) {
      names.put(constant.name().toLowerCase(Locale.ROOT), constant);
    }
    return names;
  }
}

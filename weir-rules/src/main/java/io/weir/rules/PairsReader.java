package io.weir.rules;

import io.weir.rule.Consistency;
import io.weir.rule.Posture;
import io.weir.rules.text.Written;
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
 * @param word reads the field that has the word
 * @param other reads the field that goes with it
 */
record PairsReader(FieldReader word, FieldReader other) {
  /** Used where a rule is synced and does not say how often. */
  static final Duration SYNC_EVERY = Duration.ofMillis(100);

  /** Used where a rule's posture is local and it does not say how much. */
  static final int LOCAL_SHARE = 10;

  private static final Map<String, Consistency.Kind> KINDS = named(Consistency.Kind.values());
  private static final Map<String, Posture.Answer> ANSWERS = named(Posture.Answer.values());

  Optional<Consistency> consistency(@Nullable Written kind, @Nullable Written syncEvery) {
    return pair(
        KINDS,
        kind,
        Consistency.Kind.SYNCED,
        syncEvery,
        value -> other.duration(value).flatMap(e -> other.tried(value, e, Consistency::synced)),
        Consistency.synced(SYNC_EVERY),
        alone -> new Consistency(alone, Duration.ZERO));
  }

  Optional<Posture> posture(@Nullable Written answer, @Nullable Written localShare) {
    return pair(
        ANSWERS,
        answer,
        Posture.Answer.LOCAL,
        localShare,
        value -> other.percent(value).flatMap(p -> other.tried(value, p, Posture::local)),
        Posture.local(LOCAL_SHARE),
        alone -> new Posture(alone, 0));
  }

  private <E, T> Optional<T> pair(
      Map<String, E> words,
      @Nullable Written written,
      E owner,
      @Nullable Written part,
      Function<Written, Optional<T>> reader,
      T whole,
      Function<E, T> alone) {
    Optional<E> chosen = written == null ? Optional.empty() : word.oneOf(written, words);
    Optional<T> read = part == null ? Optional.of(whole) : reader.apply(part);
    if (chosen.isPresent() && chosen.get().equals(owner)) {
      return read;
    }
    if (part != null && read.isPresent() && (chosen.isPresent() || written == null)) {
      String needed = word.field() + ": " + String.valueOf(owner).toLowerCase(Locale.ROOT);
      other.wrong(part.at(), "goes with " + needed + " only; leave it out, or write that");
    }
    return chosen.map(alone);
  }

  private static <E extends Enum<E>> Map<String, E> named(E[] all) {
    Map<String, E> names = new LinkedHashMap<>();
    for (E one : all) {
      names.put(one.name().toLowerCase(Locale.ROOT), one);
    }
    return names;
  }
}

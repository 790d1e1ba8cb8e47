package io.weir.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.CalendarWindow;
import io.weir.rule.CalendarUnit;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Compares windows with an independent definition on java.time: a window begins at the first moment
 * at which the local clock has reached its first moment. {@code -Dweir.instants=1000000} tests more
 * instants.
 */
class CalendarWindowsTest {
  private static final long FROM = Instant.parse("2020-01-01T00:00:00Z").getEpochSecond();
  private static final long UNTIL = Instant.parse("2041-01-01T00:00:00Z").getEpochSecond();
  private static final List<CalendarUnit> UNITS = List.of(CalendarUnit.values());
  private static final List<String> ZONES =
      List.copyOf(new TreeSet<>(ZoneId.getAvailableZoneIds()));

  @Test
  void randomInstants_areInTheWindowThatJavaTimeSays() {
    long seed = Long.getLong("weir.seed", System.nanoTime());
    Random random = new Random(seed);
    int count = Integer.getInteger("weir.instants", 20_000);
    for (int i = 0; i < count; i++) {
      CalendarWindows windows =
          randomWindows(random, ZoneId.of(ZONES.get(random.nextInt(ZONES.size()))));
      long second = FROM + (long) (random.nextDouble() * (UNTIL - FROM));
      check(windows, second * 1_000_000 + random.nextInt(1_000_000), "-Dweir.seed=" + seed);
    }
  }

  @Test
  void momentsAroundEachClockChangeOfEachZone_areInTheWindowThatJavaTimeSays() {
    long seed = Long.getLong("weir.seed", System.nanoTime());
    Random random = new Random(seed);
    int changes = 0;
    for (String name : ZONES) {
      ZoneId zone = ZoneId.of(name);
      Instant at = Instant.ofEpochSecond(FROM);
      ZoneOffsetTransition next = zone.getRules().nextTransition(at);
      while (next != null && next.toEpochSecond() < UNTIL) {
        changes++;
        CalendarWindows windows = randomWindows(random, zone);
        for (long second : new long[] {-3600, -1, 0, 1, 3599, 7200}) {
          check(windows, (next.toEpochSecond() + second) * 1_000_000, "-Dweir.seed=" + seed);
        }
        next = zone.getRules().nextTransition(next.getInstant());
      }
    }
    assertThat(changes).isGreaterThan(5_000);
  }

  @Test
  void everyResetDay_isClippedToTheLengthOfItsMonth() {
    for (int day = 1; day <= 31; day++) {
      CalendarWindows windows = windows(CalendarUnit.MONTH, "UTC", day, LocalTime.MIDNIGHT);
      for (LocalDate date = LocalDate.of(2023, 12, 1);
          date.isBefore(LocalDate.of(2024, 5, 1));
          date = date.plusDays(1)) {
        long noon = date.atTime(12, 0).toEpochSecond(ZoneOffset.UTC) * 1_000_000;
        LocalDate start =
            LocalDate.ofInstant(
                Instant.ofEpochSecond(windows.at(noon).start() / 1_000_000), ZoneOffset.UTC);
        assertThat(start.getDayOfMonth()).isEqualTo(Math.min(day, start.lengthOfMonth()));
      }
    }
  }

  @Test
  void examples_haveTheEdgesOfTheLocalClock() {
    CalendarWindows berlin = windows(CalendarUnit.DAY, "Europe/Berlin", 1, LocalTime.MIDNIGHT);
    assertThat(lengthAt(berlin, "2026-03-29T10:00:00Z")).isEqualTo("PT23H");
    assertThat(lengthAt(berlin, "2026-10-25T10:00:00Z")).isEqualTo("PT25H");
    CalendarWindows month = windows(CalendarUnit.MONTH, "UTC", 31, LocalTime.MIDNIGHT);
    assertThat(startAt(month, "2028-03-01T00:00:00Z")).isEqualTo("2028-02-29T00:00:00Z");
    assertThat(startAt(month, "2028-03-31T00:00:00Z")).isEqualTo("2028-03-31T00:00:00Z");
    CalendarWindows quarter = windows(CalendarUnit.QUARTER, "UTC", 15, LocalTime.of(6, 0));
    assertThat(startAt(quarter, "2026-04-15T05:59:59Z")).isEqualTo("2026-01-15T06:00:00Z");
    assertThat(startAt(quarter, "2026-04-15T06:00:00Z")).isEqualTo("2026-04-15T06:00:00Z");
    CalendarWindows hour = windows(CalendarUnit.HOUR, "Asia/Kathmandu", 1, LocalTime.MIDNIGHT);
    assertThat(startAt(hour, "2026-04-15T06:20:00Z")).isEqualTo("2026-04-15T06:15:00Z");
    CalendarWindows havana = windows(CalendarUnit.DAY, "America/Havana", 1, LocalTime.MIDNIGHT);
    assertThat(startAt(havana, "2026-03-08T12:00:00Z")).isEqualTo("2026-03-08T05:00:00Z");
  }

  private static CalendarWindows windows(CalendarUnit unit, String zone, int day, LocalTime at) {
    return new CalendarWindows(unit, ZoneId.of(zone), DayOfWeek.MONDAY, day, at);
  }

  private static String startAt(CalendarWindows windows, String time) {
    return Instant.ofEpochSecond(windows.at(micros(time)).start() / 1_000_000).toString();
  }

  private static String lengthAt(CalendarWindows windows, String time) {
    CalendarWindow window = windows.at(micros(time));
    return java.time.Duration.of(window.end() - window.start(), ChronoUnit.MICROS).toString();
  }

  private static long micros(String time) {
    return Instant.parse(time).getEpochSecond() * 1_000_000;
  }

  private static CalendarWindows randomWindows(Random random, ZoneId zone) {
    LocalTime at =
        random.nextBoolean() ? LocalTime.MIDNIGHT : LocalTime.ofSecondOfDay(random.nextInt(86_400));
    return new CalendarWindows(
        UNITS.get(random.nextInt(UNITS.size())),
        zone,
        DayOfWeek.of(1 + random.nextInt(7)),
        1 + random.nextInt(31),
        at);
  }

  private static void check(CalendarWindows windows, long micros, String seed) {
    CalendarWindow window = windows.at(micros);
    long[] expected = expectedWindow(windows, Math.floorDiv(micros, 1_000_000));
    String where = windows + " at " + Instant.ofEpochSecond(micros / 1_000_000) + " " + seed;
    assertThat(window.start()).as(where).isEqualTo(expected[0] * 1_000_000);
    assertThat(window.end()).as(where).isEqualTo(expected[1] * 1_000_000);
    assertThat(window.since())
        .as(where)
        .isBetween(window.start() - 26L * 3_600_000_000L, window.start());
  }

  /** The first moment of the window that contains a second, and that of the next window. */
  private static long[] expectedWindow(CalendarWindows windows, long second) {
    LocalDate today =
        LocalDateTime.ofInstant(Instant.ofEpochSecond(second), windows.zone()).toLocalDate();
    TreeSet<Long> edges = new TreeSet<>();
    if (windows.unit() == CalendarUnit.HOUR) {
      addHours(windows.zone().getRules(), second, edges);
    } else {
      for (LocalDate first : firstDays(windows, today)) {
        edges.add(firstReached(windows.zone().getRules(), first.atTime(windows.resetAt())));
      }
    }
    Long start = edges.floor(second);
    Long end = edges.higher(second);
    assertThat(start).isNotNull();
    assertThat(end).isNotNull();
    return new long[] {start, end};
  }

  private static List<LocalDate> firstDays(CalendarWindows windows, LocalDate today) {
    List<LocalDate> days = new ArrayList<>();
    int distance = windows.unit().compareTo(CalendarUnit.WEEK) <= 0 ? 16 : 800;
    for (LocalDate day = today.minusDays(distance);
        day.isBefore(today.plusDays(distance));
        day = day.plusDays(1)) {
      boolean resets = day.getDayOfMonth() == Math.min(windows.resetDay(), day.lengthOfMonth());
      boolean first =
          switch (windows.unit()) {
            case HOUR -> throw new AssertionError();
            case DAY -> true;
            case WEEK -> day.getDayOfWeek() == windows.weekStarts();
            case MONTH -> resets;
            case QUARTER ->
                resets
                    && day.getMonth() == day.getMonth().firstMonthOfQuarter()
                    && day.get(IsoFields.QUARTER_OF_YEAR) > 0;
            case YEAR -> resets && day.getMonthValue() == 1;
          };
      if (first) {
        days.add(day);
      }
    }
    return days;
  }

  /** The first second at which the local clock shows that moment or a later one. */
  private static long firstReached(ZoneRules rules, LocalDateTime moment) {
    long second = moment.toEpochSecond(ZoneOffset.UTC) - 2 * 86_400;
    while (true) {
      Instant here = Instant.ofEpochSecond(second);
      ZoneOffset offset = rules.getOffset(here);
      if (second + offset.getTotalSeconds() >= moment.toEpochSecond(ZoneOffset.UTC)) {
        return second;
      }
      long reached = moment.toEpochSecond(offset);
      ZoneOffsetTransition next = rules.nextTransition(here);
      if (next == null || reached < next.toEpochSecond()) {
        return reached;
      }
      second = next.toEpochSecond();
    }
  }

  /** All seconds of the days around at which the local clock enters an hour. */
  private static void addHours(ZoneRules rules, long second, Set<Long> edges) {
    for (long s = Math.floorDiv(second, 60) * 60 - 4 * 3600; s <= second + 4 * 3600; s += 60) {
      long before = s - 1 + rules.getOffset(Instant.ofEpochSecond(s - 1)).getTotalSeconds();
      long now = s + rules.getOffset(Instant.ofEpochSecond(s)).getTotalSeconds();
      boolean setBack = now <= before;
      if (Math.floorMod(now, 3600) == 0
          || (!setBack && Math.floorDiv(now, 3600) != Math.floorDiv(before, 3600))) {
        edges.add(s);
      }
    }
  }
}

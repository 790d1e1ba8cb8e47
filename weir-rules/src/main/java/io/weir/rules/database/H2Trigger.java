package io.weir.rules.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;

/**
 * The triggers for H2, which has no trigger language; equivalent to those of PostgreSQL.
 *
 * <p>Public, and must never be renamed, because databases refer to its name.
 */
public final class H2Trigger implements Trigger {
  private static final int ID = 0;
  private static final int POSITION = 1;
  private static final int BODY = 2;
  private static final int RULE_REVISION = 3;
  private static final int KEY_REVISION = 7;
  private static final String INSERT_HISTORY =
      "INSERT INTO weir_history (revision, rule_id, position, who, body_before, body_after)"
          + " VALUES (?, ?, ?, COALESCE(@weir_who, TRIM(SESSION_USER || ' by hand')), ?, ?)";

  private ChangeFeed feed = ChangeFeed.RULES;

  @Override
  public void init(
      Connection connection,
      String schema,
      String trigger,
      String table,
      boolean before,
      int type) {
    feed = table.toLowerCase(Locale.ROOT).equals("weir_key") ? ChangeFeed.KEYS : ChangeFeed.RULES;
  }

  @Override
  public void fire(
      Connection connection, @Nullable Object @Nullable [] old, @Nullable Object @Nullable [] now)
      throws SQLException {
    feed.advance(connection, now == null);
    long revision = feed.position(connection).revision();
    if (feed == ChangeFeed.RULES) {
      writeHistory(connection, revision, old, now);
    }
    if (now != null) {
      now[feed == ChangeFeed.RULES ? RULE_REVISION : KEY_REVISION] = revision;
    }
  }

  private static void writeHistory(
      Connection connection,
      long revision,
      @Nullable Object @Nullable [] old,
      @Nullable Object @Nullable [] now)
      throws SQLException {
    if (old != null && now != null && !String.valueOf(old[ID]).equals(now[ID])) {
      throw new SQLException(
          "rule %s keeps its id, which its counters belong to; insert another and delete this one"
              .formatted(old[ID]));
    }
    try (PreparedStatement insert = connection.prepareStatement(INSERT_HISTORY)) {
      @Nullable Object @Nullable [] either = old == null ? now : old;
      insert.setLong(1, revision);
      insert.setObject(2, either == null ? null : either[ID]);
      insert.setObject(3, either == null ? null : either[POSITION]);
      insert.setObject(4, old == null ? null : old[BODY]);
      insert.setObject(5, now == null ? null : now[BODY]);
      insert.executeUpdate();
    }
  }
}

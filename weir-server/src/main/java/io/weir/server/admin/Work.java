package io.weir.server.admin;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.text.TextException;
import io.weir.server.web.BadInput;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Callable;

/** Does what may take its time off the event loops, and answers with what comes of it. */
final class Work {
  private static final Logger LOG = System.getLogger(Work.class.getName());

  /** As many as the rules' database has connections: more would only wait for each other. */
  private static final int THREADS = 4;

  private final WorkerExecutor threads;

  Work(Vertx vertx) {
    threads = vertx.createSharedWorkerExecutor("weir-admin", THREADS);
  }

  void answer(HttpServerRequest http, Callable<Answer> work) {
    threads
        .executeBlocking(() -> done(work), false)
        .onSuccess(answer -> answer.send(http.response()));
  }

  private static Answer done(Callable<Answer> work) {
    try {
      return work.call();
    } catch (BadInput e) {
      return Answer.bad(e);
    } catch (TextException e) {
      return Answer.wrong("bad_rules", e);
    } catch (DatabaseException e) {
      return Answer.error(503, "database_failed", String.valueOf(e.getMessage()));
    } catch (Exception | OutOfMemoryError | StackOverflowError e) {
      LOG.log(Level.WARNING, "a call of the admin door failed", e);
      return Answer.error(500, "failed", "this node failed; its log says why");
    }
  }
}

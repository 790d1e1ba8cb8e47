package io.weir.server.admin;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.server.web.InvalidInputException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Callable;

/** Does what may take its time off the event loops, and answers with what comes of it. */
final class AdminWorkerPool {
  private static final Logger LOG = System.getLogger(AdminWorkerPool.class.getName());

  /** As many as the rules' database has connections: more would only wait for each other. */
  private static final int THREADS = 4;

  private final WorkerExecutor workers;

  AdminWorkerPool(Vertx vertx) {
    workers = vertx.createSharedWorkerExecutor("weir-admin", THREADS);
  }

  void respond(HttpServerRequest http, Callable<AdminResponse> work) {
    workers
        .executeBlocking(() -> call(work), false)
        .onSuccess(answer -> answer.send(http.response()));
  }

  private static AdminResponse call(Callable<AdminResponse> work) {
    try {
      return work.call();
    } catch (InvalidInputException e) {
      return AdminResponse.badRequest(e);
    } catch (InvalidConfigurationException e) {
      return AdminResponse.invalidText("bad_rules", e);
    } catch (DatabaseException e) {
      return AdminResponse.error(503, "database_failed", String.valueOf(e.getMessage()));
    } catch (Exception | OutOfMemoryError | StackOverflowError e) {
      LOG.log(Level.WARNING, "a call of the admin door failed", e);
      return AdminResponse.error(500, "failed", "this node failed; its log says why");
    }
  }
}

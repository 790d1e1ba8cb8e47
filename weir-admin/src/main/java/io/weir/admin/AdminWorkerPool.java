package io.weir.admin;

import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.web.InvalidInputException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.Callable;

/** Runs blocking work off the event loops and sends its response. */
final class AdminWorkerPool {
  private static final Logger LOG = System.getLogger(AdminWorkerPool.class.getName());

  /** The number of connections of the rule database; more threads would only wait for them. */
  private static final int THREADS = 4;

  private final WorkerExecutor workers;

  AdminWorkerPool(Vertx vertx) {
    workers = vertx.createSharedWorkerExecutor("weir-admin", THREADS);
  }

  void respond(HttpServerRequest http, Callable<AdminResponse> work) {
    workers
        .executeBlocking(() -> call(work), false)
        .onSuccess(response -> response.send(http.response()));
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
      LOG.log(Level.WARNING, "an admin API request failed", e);
      return AdminResponse.error(500, "failed", "internal error; see the log of this node");
    }
  }
}

package io.weir.testkit;

import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.Store;
import io.weir.store.Clock;

class MemoryStoreContractTest extends StoreContract {

  @Override
  protected Store open(Clock clock) {
    return new MemoryStore(clock);
  }
}

package io.weir.testkit;

import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Store;

class MemoryStoreContractTest extends StoreContract {

  @Override
  protected Store open(Clock clock) {
    return new MemoryStore(clock);
  }
}

package io.weir.testkit;

import io.weir.internal.store.Clock;
import io.weir.internal.store.MemoryStore;
import io.weir.internal.store.Store;

class MemoryStoreContractTest extends StoreContract {

  @Override
  protected Store open(Clock clock) {
    return new MemoryStore(clock);
  }
}

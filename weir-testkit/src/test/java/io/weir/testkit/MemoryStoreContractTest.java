package io.weir.testkit;

import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.store.Clock;

class MemoryStoreContractTest extends StoreContract {

  @Override
  protected ClaimStore open(Clock clock) {
    return new MemoryStore(clock);
  }
}

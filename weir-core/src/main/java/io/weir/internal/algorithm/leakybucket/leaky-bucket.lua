-- A queue that admits requests at a constant rate; counts like a token bucket. The Lua counterpart of LeakyBucket.java.
return algorithms['token-bucket']

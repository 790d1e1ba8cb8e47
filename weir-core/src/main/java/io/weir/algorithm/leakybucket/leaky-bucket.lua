-- A queue that lets requests out at a constant rate: the twin of LeakyBucket.java, and what a token bucket counts.
return algorithms['token-bucket']

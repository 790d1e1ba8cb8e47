-- A queue that lets requests out at a constant rate: the twin of LeakyBucket.java.
local bucket = algorithms['token-bucket']
local queue = {age = bucket.age, room = bucket.room, charge = bucket.charge, wait = bucket.wait, most = bucket.most}

function queue.delay(t, s, now)
  if s.used == 0 then return 0 end
  return max(0, drain(t, s.used) - (now - s.time))
end

return queue

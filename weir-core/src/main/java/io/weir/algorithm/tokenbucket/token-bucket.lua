-- Bursts up to the bucket's size, then the refill rate: the twin of TokenBucket.java.
local bucket = {}

function bucket.age(t, now, time, used)
  local elapsed, full, trickle = now - time, t.full, 0
  if used > t.brim then used = t.brim end -- the limit was lowered
  if elapsed < 0 then
    if used > full then used = full end
    time = now
  elseif used > 0 then
    local p, q = t.p, t.q
    local past = elapsed % q
    local drained = (elapsed - past) / q * p
    if past > 0 then
      trickle = past * p
      trickle = (trickle - trickle % q) / q
    end
    if drained + trickle < used then
      time, used = now - past, used - drained
    else
      time, used, trickle = now, 0, 0
    end
  else
    time = now
  end
  local free = full - used + trickle
  if free <= 0 then return 0, time, used, 0 end
  local room, burst = (free - free % t.unit) / t.unit, t.burst
  return room < burst and room or burst, time, used, 0
end

function bucket.charge(t, now, when, cost, time, used)
  local most, brim, p, q = 2 * t.burst, t.brim, t.p, t.q
  if cost > most then cost = most elseif cost < -t.all then cost = -t.all end
  used = used + cost * t.unit
  if used <= 0 then return 0, time, 0, 0 end
  if used > brim then used = brim end
  local left = used % p
  local rounded = left * q + p - 1
  local reset = (used - left) / p * q + (rounded - rounded % p) / p - (now - time)
  return reset > 0 and reset or 0, time, used, 0
end

return bucket

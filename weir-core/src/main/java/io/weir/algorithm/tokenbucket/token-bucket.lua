-- Bursts up to the bucket's size, then the refill rate: the twin of TokenBucket.java.
local bucket = {}

-- What drains in a part of a turn.
local function trickle(t, micros)
  if micros == 0 or t.p == 1 then return 0 end
  local drained = micros * t.p
  return (drained - drained % t.q) / t.q
end

function bucket.age(t, s, now)
  local used, elapsed = s.used, now - s.time
  if used > t.brim then used = t.brim end -- the limit was lowered
  if elapsed < 0 then
    if used > t.full then used = t.full end
    s.used, s.time = used, now
    return
  end
  if used > 0 then
    local past = elapsed % t.q
    local drained = (elapsed - past) / t.q * t.p
    if drained + trickle(t, past) < used then
      s.used, s.time = used - drained, now - past
      return
    end
  end
  s.used, s.time = 0, now
end

function bucket.room(t, s, now)
  local free = t.full - s.used + trickle(t, now - s.time)
  if free <= 0 then return 0 end
  local room = (free - free % t.unit) / t.unit
  return room < t.burst and room or t.burst
end

function bucket.charge(t, s, when, cost)
  local most = 2 * t.burst
  if cost > most then cost = most elseif cost < -most then cost = -most end
  local used = s.used + cost * t.unit
  if used < 0 then used = 0 elseif used > t.brim then used = t.brim end
  s.used = used
end

function bucket.wait(t, s, now, cost)
  local missing = s.used - (t.burst - cost) * t.unit
  if missing <= 0 then return 0 end
  local wait = drain(t, missing) - (now - s.time)
  return wait > 0 and wait or 0
end

return bucket

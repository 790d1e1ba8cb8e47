-- Bursts up to the bucket's size, then the refill rate: the twin of TokenBucket.java.
local bucket = {}

-- The most a state may say is used: twice the bucket's size, and what may trickle in during a turn.
local function brim(t) return 2 * t.burst * t.unit + t.p end

function bucket.age(t, s, now)
  local used, elapsed = s.used, now - s.time
  if used > brim(t) then used = brim(t) end
  if elapsed < 0 then
    used, s.time = min(used, t.burst * t.unit), now
  elseif used == 0 or elapsed >= drain(t, used) then
    used, s.time = 0, now
  else
    local turns = floor(elapsed / t.q)
    used, s.time = used - turns * t.p, s.time + turns * t.q
  end
  s.used = used
end

function bucket.room(t, s, now)
  local free = t.burst * t.unit - s.used + floor((now - s.time) * t.p / t.q)
  if free <= 0 then return 0 end
  return min(floor(free / t.unit), t.burst)
end

function bucket.charge(t, s, when, cost)
  local most = 2 * t.burst
  local amount = max(-most, min(cost, most)) * t.unit
  s.used = max(0, min(s.used + amount, brim(t)))
end

function bucket.wait(t, s, now, cost)
  local missing = s.used - (t.burst - cost) * t.unit
  if missing <= 0 then return 0 end
  return max(0, drain(t, missing) - (now - s.time))
end

function bucket.most(t) return t.burst end

return bucket

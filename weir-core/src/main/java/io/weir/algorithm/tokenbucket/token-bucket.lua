-- Bursts up to the bucket's size, then the refill rate: the twin of TokenBucket.java.
local bucket = {}

function bucket.age(t, s, now)
  s.used = min(s.used, brim(t))
  local elapsed = now - s.time
  if elapsed < 0 then
    s.used, s.time = min(s.used, t.burst * t.unit), now
  elseif elapsed >= drain(t, s.used) then
    s.used, s.time = 0, now
  else
    local turns = floor(elapsed / t.q)
    s.used = s.used - turns * t.p
    s.time = s.time + turns * t.q
  end
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

-- Two counters, the window before weighed by how much of it is still covered: the twin of SlidingCounter.java.
-- What more it remembers is the permits of the window before.
local counter = {}

local function charged(t, used, cost)
  local most = 2 * t.permits
  return max(0, min(used + min(cost, most), most))
end

function counter.age(t, now, time, used, before)
  local window = now - now % t.period
  if type(before) == 'table' then before = 0 end -- corrupt
  if window > time then
    before, used = window <= time + t.period and used or 0, 0
  elseif window < time then
    used, before = min(used + before, t.permits), 0
  end
  used, before = min(used, 2 * t.permits), min(before, 2 * t.permits) -- the limit may have been lowered
  local slice = (now - window) / (t.period / t.slices)
  local covered = before * (t.slices - slice + slice % 1)
  return max(0, t.permits - used - ceildiv(covered, t.slices)), window, used, before
end

function counter.charge(t, now, when, cost, time, used, before)
  if when >= time then
    if used + cost < 0 then before = charged(t, before, used + cost) end -- what this window did not use
    used = charged(t, used, cost)
  elseif when >= time - t.period then
    before = charged(t, before, cost)
  end
  local fades = used > 0 and 2 * t.period or before > 0 and t.period or 0
  return max(0, time + fades - now), time, used, before
end

return counter

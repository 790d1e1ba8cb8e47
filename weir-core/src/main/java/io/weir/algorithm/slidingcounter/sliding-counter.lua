-- Two counters, the window before weighed by how much of it is still covered: the twin of SlidingCounter.java.
local counter = {}

-- How far into a window `count` permits of the one before weigh at most `spare`.
local function fades(t, count, spare)
  if count <= spare then return 0 end
  return (t.slices - floor(spare * t.slices / count)) * (t.period / t.slices)
end

local function charged(t, used, cost)
  local most = 2 * t.permits
  return max(0, min(used + min(cost, most), most))
end

function counter.age(t, s, now)
  local window = now - now % t.period
  if window > s.time then
    s.before = window == s.time + t.period and s.used or 0
    s.used = 0
  elseif window < s.time then
    s.used, s.before = min(s.used + s.before, t.permits), 0
  end
  s.time = window
  s.used, s.before = min(s.used, 2 * t.permits), min(s.before, 2 * t.permits)
end

function counter.room(t, s, now)
  local covered = t.slices - floor((now - s.time) / (t.period / t.slices))
  return max(0, t.permits - s.used - ceildiv(s.before * covered, t.slices))
end

function counter.charge(t, s, when, cost)
  if when >= s.time then
    s.used = charged(t, s.used, cost)
  elseif when >= s.time - t.period then
    s.before = charged(t, s.before, cost)
  end
end

function counter.wait(t, s, now, cost)
  local spare = t.permits - s.used - cost
  if spare >= 0 then return max(0, s.time + fades(t, s.before, spare) - now) end
  return s.time + t.period + fades(t, s.used, t.permits - cost) - now
end

return counter

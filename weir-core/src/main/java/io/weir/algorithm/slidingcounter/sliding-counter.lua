-- Two counters, the window before weighed by how much of it is still covered: the twin of SlidingCounter.java.
-- What more it remembers is the permits of the window before.
return function(t)
  local permits, period, slices, most = t.permits, t.period, t.slices, 2 * t.permits

  local function charged(used, cost)
    return max(0, min(used + min(cost, most), most))
  end

  local function age(now, time, used, before)
    local window = now - now % period
    if type(before) ~= 'number' then before = 0 end -- none, or corrupt
    if window > time then
      before, used = window <= time + period and used or 0, 0
    elseif window < time then
      used, before = min(used + before, permits), 0
    end
    used, before = min(used, most), min(before, most) -- the limit may have been lowered
    local slice = (now - window) / (period / slices)
    local covered = before * (slices - slice + slice % 1)
    return max(0, permits - used - ceildiv(covered, slices)), window, used, before
  end

  local function charge(now, when, cost, time, used, before)
    if when >= time then
      if used + cost < 0 then before = charged(before, used + cost) end -- what this window did not use
      used = charged(used, cost)
    elseif when >= time - period then
      before = charged(before, cost)
    end
    local fades = used > 0 and 2 * period or before > 0 and period or 0
    return max(0, time + fades - now), time, used, before
  end

  return age, charge
end

-- Two counters; the previous window is weighted by how much of it is still covered. The Lua counterpart of SlidingCounter.java.
-- The extra value is the number of permits used in the previous window.
return function(parameters)
  local permits, period = parameters.permits, parameters.period
  local slice_count, max_used = parameters.slice_count, 2 * parameters.permits

  local function add_clamped(used, cost)
    return max(0, min(used + min(cost, max_used), max_used))
  end

  local function advance(now, time, used, previous)
    local window = now - now % period
    if type(previous) ~= 'number' then previous = 0 end -- missing or corrupt
    if window > time then
      previous, used = window <= time + period and used or 0, 0
    elseif window < time then
      used, previous = min(used + previous, permits), 0
    end
    used, previous = min(used, max_used), min(previous, max_used) -- the limit may have been lowered
    local slice = (now - window) / (period / slice_count)
    local covered = previous * (slice_count - slice + slice % 1)
    return max(0, permits - used - ceildiv(covered, slice_count)), window, used, previous
  end

  local function charge(now, when, cost, time, used, previous)
    if when >= time then
      -- a refund larger than the usage of this window continues in the previous one
      if used + cost < 0 then previous = add_clamped(previous, used + cost) end
      used = add_clamped(used, cost)
    elseif when >= time - period then
      previous = add_clamped(previous, cost)
    end
    local fade_time = used > 0 and 2 * period or previous > 0 and period or 0
    return max(0, time + fade_time - now), time, used, previous
  end

  return advance, charge
end

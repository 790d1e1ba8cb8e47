-- A fixed number of permits per window. The Lua counterpart of FixedWindow.java.
return function(parameters)
  local permits, period, start, since = parameters.permits, parameters.period, parameters.window_start, parameters.window_since
  local max_used, lifetime = 2 * parameters.permits, parameters.period + parameters.cool_down

  local function advance(now, time, used)
    if time > now then
      time = now - now % period
    elseif used == 0 or now >= time + lifetime then
      time, used = now - now % period, 0
    end
    return max(0, permits - used), time, used
  end

  local function charge(now, when, cost, time, used)
    if when >= time then used = max(0, min(used + min(cost, max_used), max_used)) end
    return used > 0 and time + lifetime - now or 0, time, used
  end

  if not start then return advance, charge end

  -- The same for one window of a calendar, which the node has computed.
  local past = start + period

  local function advance_in_calendar(now, time, used)
    if time > now then
      time = start
    elseif used == 0 or time < since then
      time, used = start, 0
    end
    return max(0, permits - used), time, used
  end

  local function charge_in_calendar(now, when, cost, time, used)
    if when >= time then used = max(0, min(used + min(cost, max_used), max_used)) end
    return used > 0 and past - now or 0, time, used
  end

  return advance_in_calendar, charge_in_calendar
end

-- So many permits in each window: the twin of FixedWindow.java.
return function(t)
  local permits, period, most, ends = t.permits, t.period, 2 * t.permits, t.period + t.cool_down

  local function age(now, time, used)
    if time > now then
      time = now - now % period
    elseif used == 0 or now >= time + ends then
      time, used = now - now % period, 0
    end
    return max(0, permits - used), time, used
  end

  local function charge(now, when, cost, time, used)
    if when >= time then used = max(0, min(used + min(cost, most), most)) end
    return used > 0 and time + ends - now or 0, time, used
  end

  return age, charge
end

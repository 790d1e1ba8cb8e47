-- So many permits in each window: the twin of FixedWindow.java.
local window = {}

function window.age(t, now, time, used)
  if time > now then
    time = now - now % t.period
  elseif used == 0 or now >= time + t.period + t.cool_down then
    time, used = now - now % t.period, 0
  end
  return max(0, t.permits - used), time, used, 0
end

function window.charge(t, now, when, cost, time, used)
  if when >= time then
    local most = 2 * t.permits
    used = max(0, min(used + min(cost, most), most))
  end
  return used > 0 and time + t.period + t.cool_down - now or 0, time, used, 0
end

return window

-- So many permits in each window: the twin of FixedWindow.java.
local window = {}

function window.age(t, s, now)
  if s.time > now then
    s.time = now - now % t.period
  elseif s.used == 0 or now >= s.time + t.period + t.cool_down then
    s.time, s.used = now - now % t.period, 0
  end
end

function window.room(t, s, now) return max(0, t.permits - s.used) end

function window.charge(t, s, when, cost)
  if when >= s.time then
    local most = 2 * t.permits
    s.used = max(0, min(s.used + min(cost, most), most))
  end
end

function window.wait(t, s, now, cost)
  if s.used + cost <= t.permits then return 0 end
  return s.time + t.period + t.cool_down - now
end

return window

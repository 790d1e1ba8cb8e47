-- Every charge remembered for one period: the twin of SlidingLog.java.
-- s.entries = {time, cost, time, cost, ...}, oldest first.
local log = {keeps_entries = true}

function log.age(t, s, now)
  local e = s.entries
  if s.time > now then
    local i = #e - 1
    while i >= 1 and e[i] > now do
      e[i] = now
      i = i - 2
    end
  end
  s.time = now
  local gone = 0
  while gone < #e and e[gone + 1] <= now - t.period do
    s.used = s.used - e[gone + 2]
    gone = gone + 2
  end
  if gone > 0 then
    local count = #e
    for i = 1, count do e[i] = e[i + gone] end
  end
  if not e[1] then s.used = 0 end -- whatever else a corrupt state may say
end

function log.room(t, s, now) return max(0, t.permits - s.used) end

function log.charge(t, s, when, cost)
  local e = s.entries
  local at = #e
  while at > 0 and e[at - 1] > when do at = at - 2 end
  if cost > 0 then
    cost = min(cost, 2 * t.permits - s.used)
    if cost <= 0 then return end
    s.used = s.used + cost
    if at > 0 and e[at - 1] == when then
      e[at] = e[at] + cost
    else
      table.insert(e, at + 1, when)
      table.insert(e, at + 2, cost)
    end
  else
    local left = -cost
    while at > 0 and left > 0 do
      local part = min(left, e[at])
      e[at] = e[at] - part
      s.used = s.used - part
      left = left - part
      if e[at] == 0 then
        table.remove(e, at)
        table.remove(e, at - 1)
      end
      at = at - 2
    end
  end
end

function log.wait(t, s, now, cost)
  local over, i = s.used + cost - t.permits, 0
  while over > 0 do
    over = over - s.entries[i + 2]
    i = i + 2
  end
  if i == 0 then return 0 end
  return s.entries[i - 1] + t.period - now
end

function log.most(t) return t.permits end

return log

-- Every charge remembered for one period: the twin of SlidingLog.java.
-- What more it remembers is its entries, {time, cost, time, cost, ...}, oldest first.
local log = {}

function log.age(t, now, time, used, entries)
  if type(entries) ~= 'table' then return t.permits, now, 0, {} end -- never charged, or corrupt
  if time > now then
    local i = #entries - 1
    while i >= 1 and entries[i] > now do
      entries[i] = now
      i = i - 2
    end
  end
  local gone, count = 0, #entries
  while gone < count and entries[gone + 1] <= now - t.period do
    used = used - entries[gone + 2]
    gone = gone + 2
  end
  if gone > 0 then
    for i = 1, count do entries[i] = entries[i + gone] end
  end
  return max(0, t.permits - used), now, used, entries
end

function log.charge(t, now, when, cost, time, used, e)
  local at = #e
  while at > 0 and e[at - 1] > when do at = at - 2 end
  if when <= time - t.period then
    cost = 0 -- forgotten already
  end
  if cost > 0 then
    cost = min(cost, 2 * t.permits - used)
    if cost > 0 then
      used = used + cost
      if at > 0 and e[at - 1] == when then
        e[at] = e[at] + cost
      else
        table.insert(e, at + 1, when)
        table.insert(e, at + 2, cost)
      end
    end
  else
    local left = -cost
    while at > 0 and left > 0 do
      local part = min(left, e[at])
      e[at], used, left = e[at] - part, used - part, left - part
      if e[at] == 0 then
        table.remove(e, at)
        table.remove(e, at - 1)
      end
      at = at - 2
    end
  end
  return e[1] and e[#e - 1] + t.period - now or 0, time, used, e
end

return log

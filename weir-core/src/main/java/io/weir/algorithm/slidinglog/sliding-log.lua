-- Every charge remembered for one period: the twin of SlidingLog.java.
-- What more it remembers is its entries, {time, cost, time, cost, ...}, oldest first.
local function remove(e, gone)
  if gone > 0 then
    for i = 1, #e do e[i] = e[i + gone] end
  end
end

return function(t)
  local permits, period, most = t.permits, t.period, 2 * t.permits

  local function age(now, time, used, entries)
    if type(entries) ~= 'table' then return permits, now, 0, {} end -- never charged, or corrupt
    if time > now then
      local i = #entries - 1
      while i >= 1 and entries[i] > now do
        entries[i] = now
        i = i - 2
      end
    end
    local gone, count = 0, #entries
    while gone < count and entries[gone + 1] <= now - period do
      used = used - entries[gone + 2]
      gone = gone + 2
    end
    remove(entries, gone)
    return max(0, permits - used), now, used, entries
  end

  local function charge(now, when, cost, time, used, e)
    local at = #e
    while at > 0 and e[at - 1] > when do at = at - 2 end
    if when <= time - period then
      cost = 0 -- forgotten already
    end
    cost = min(cost, most)
    if cost > 0 then
      used = used + cost
      if at > 0 and e[at - 1] == when then
        e[at] = e[at] + cost
      else
        table.insert(e, at + 1, when)
        table.insert(e, at + 2, cost)
      end
      local left, gone = used - most, 0
      while left > 0 and e[gone + 2] do -- more than can be remembered: the oldest would leave first
        local part = min(left, e[gone + 2])
        e[gone + 2], used, left = e[gone + 2] - part, used - part, left - part
        if e[gone + 2] == 0 then gone = gone + 2 end
      end
      remove(e, gone)
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
    return e[1] and e[#e - 1] + period - now or 0, time, used, e
  end

  return age, charge
end

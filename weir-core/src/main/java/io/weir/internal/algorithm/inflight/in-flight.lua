-- Slots in use, by node. The Lua counterpart of InFlight.java, for shared stores only.
-- The extra value is the list of entries, each {node, sequence, held, until}. `own` is the entry of the calling node; without
-- it, the call is outdated and nothing is available to it. `announced`: what the caller holds has been written to its entry.
return function(parameters)
  local permits = parameters.permits

  local function advance(now, time, used, slots)
    local kept, changed = {slots = true}, false
    used = 0
    if type(slots) == 'table' then
      kept.own, changed = slots.own, slots.announced
      for i = 1, #slots do
        local entry = slots[i]
        if entry[4] > now then
          kept[#kept + 1] = entry
          used = used + entry[3]
        else
          changed = true
        end
      end
    end
    return kept.own and max(0, permits - used) or 0, now, used, kept, changed
  end

  local function charge(now, when, cost, time, used, slots)
    if cost > 0 and slots.own then
      slots.own[3] = slots.own[3] + cost
      used = used + cost
    end
    local last = now
    for i = 1, #slots do last = max(last, slots[i][4]) end
    return last - now, time, used, slots
  end

  return advance, charge
end

-- The decision, once for every algorithm: look at all claims, then charge all or none. The twin of Decide.java.
-- A claim asks a cost of a counter under a limit {age, charge, wait, terms, shadow}. Equal requests may ask at once: as
-- many of them are granted as would be one after the other.

-- The counters' states, and notes on them: the permits that fit, what the claims looked at ask for together, and the
-- limit of those that must be stored.
local time, used, more, room, pending, changed = {}, {}, {}, {}, {}, {}

-- Looks at a claim: how many of the equal requests still wanted it has room for, beside those looked at before.
local function look(limit, counter, cost, wanted, now)
  local asked = pending[counter]
  if asked then
    asked = asked + cost
  else
    local before = time[counter]
    if before > now then changed[counter] = limit end -- it follows a clock that stepped back
    room[counter], time[counter], used[counter], more[counter] =
      limit.age(limit.terms, now, before, used[counter], more[counter])
    asked = cost
  end
  pending[counter] = asked
  local fits = room[counter]
  if wanted * asked <= fits or limit.shadow then return wanted end
  return (fits - fits % asked) / asked
end

-- Charges a claim that was looked at, as the mode (take | peek | force | refund) says.
local function settle(limit, counter, cost, granted, count, mode, when)
  pending[counter] = false
  if mode ~= 'take' then
    granted = mode == 'peek' and 0 or count
  elseif granted * cost > room[counter] then
    granted = (room[counter] - room[counter] % cost) / cost -- a shadow rule's
  end
  if granted > 0 then
    cost = granted * cost
    room[counter], changed[counter] = room[counter] - cost, limit
    time[counter], used[counter], more[counter] =
      limit.charge(limit.terms, when, mode == 'refund' and -cost or cost, time[counter], used[counter], more[counter])
  end
end

-- Decides on the first `size` claims, each {limit, counter, cost}; returns how many of `count` requests are granted.
local function decide(claims, size, count, mode, now, when)
  local granted = count
  for i = 1, size do
    local c = claims[i]
    granted = look(c.limit, c.counter, c.cost, granted, now)
  end
  for i = 1, size do
    local c = claims[i]
    settle(c.limit, c.counter, c.cost, granted, count, mode, when)
  end
  return granted
end

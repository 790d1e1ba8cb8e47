-- The decision, once for every algorithm: look at all claims, then charge all or none. The twin of Decide.java.
-- A claim asks a cost of a counter under a limit {age, charge, terms, shadow}. Equal requests may ask at once: as many of
-- them are granted as would be one after the other. Modes: take | peek | force | lease | refund.

-- The counters' states, and notes on them: the permits that fit, under which limit (requests may be held to rates of
-- their own), what the claims looked at ask for together, whether it follows a clock that stepped back, and the time
-- until all is back of those that must be stored.
local time, used, more, room, under, pending, behind, reset = {}, {}, {}, {}, {}, {}, {}, {}

local function age(limit, counter, now)
  under[counter] = limit
  room[counter], time[counter], used[counter], more[counter] =
    limit.age(limit.terms, now, time[counter], used[counter], more[counter])
end

-- Looks at a claim: how many of the equal requests still wanted it has room for, beside those looked at before.
local function look(limit, counter, cost, wanted, now)
  local asked = pending[counter]
  if not asked then
    behind[counter], asked = time[counter] > now, 0
    age(limit, counter, now)
  elseif under[counter] ~= limit then
    age(limit, counter, now)
  end
  asked = asked + cost
  pending[counter] = asked
  local fits = room[counter]
  if wanted * asked <= fits or limit.shadow then return wanted end
  return (fits - fits % asked) / asked
end

-- How much is charged: what is granted of what is taken, what fits of a lease, nothing of a peek, all of the rest.
local function amount(mode, cost, granted, count, fits)
  if mode == 'take' then
    if granted * cost > fits then granted = (fits - fits % cost) / cost end
    return granted * cost
  end
  if mode == 'lease' then return min(count * cost, fits) end
  return mode == 'force' and count * cost or mode == 'refund' and -count * cost or 0
end

-- Charges a claim that was looked at.
local function settle(limit, counter, cost, granted, count, mode, now, when)
  if under[counter] ~= limit then age(limit, counter, now) end
  local charged = amount(mode, cost, granted, count, room[counter])
  pending[counter] = false
  if charged ~= 0 or behind[counter] then
    room[counter] = room[counter] - charged
    reset[counter], time[counter], used[counter], more[counter] =
      limit.charge(limit.terms, now, when, charged, time[counter], used[counter], more[counter])
  end
end

-- Decides on `count` equal requests: the first `size` claims, each {limit, counter, cost}.
local function decide(claims, size, count, mode, now, when)
  local granted = count
  for i = 1, size do
    local c = claims[i]
    granted = look(c.limit, c.counter, c.cost, granted, now)
  end
  for i = 1, size do
    local c = claims[i]
    settle(c.limit, c.counter, c.cost, granted, count, mode, now, when)
  end
end

-- The same for a request that shares no counter, of one claim: from a state to the time until all is back and the next
-- state, or nil if it need not be stored.
local function decide_alone(limit, cost, count, mode, now, when, time, used, more)
  local fits, t, u, m = limit.age(limit.terms, now, time, used, more)
  local charged = amount(mode, cost, count, count, fits)
  if charged == 0 and time <= now then return nil end
  return limit.charge(limit.terms, now, when, charged, t, u, m)
end

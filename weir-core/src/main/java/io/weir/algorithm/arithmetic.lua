-- What every algorithm may use. Numbers are integers below 2^53, on which these are exact. `x - x % 1` is the floor of
-- x, and `(a - a % b) / b` that of a / b, without the price of a call.
--
-- An algorithm makes of the terms of a limit two verbs over the numbers of a state: its time, what is used, and what more
-- it remembers, if anything. A state never charged is 0, 0.
--   age(now, time, used, more) -> room, time, used, more             lets time pass; room is how many permits fit;
--                                                                    a fifth, if true: it is worth storing as it is now
--   charge(now, when, cost, time, used, more) -> reset, time, used, more     reset is the time until all are back
-- And, where it pays, a third: what both do in one go, for a cost above 0 that fits; nil if it does not, or is not so simple.
--   take(now, cost, time, used, more) -> reset, time, used, more
local max, min = math.max, math.min
local algorithms = {}

-- The terms of a limit as Terms.java has them. `burst` is also the most that can ever fit.
local function terms_of(permits, period, burst, cool_down, unit, p, q, slices)
  return {permits = permits, period = period, burst = burst, cool_down = cool_down, unit = unit, p = p, q = q,
          slices = slices, full = burst * unit, brim = 2 * burst * unit + p}
end

-- A limit by its algorithm and terms.
local function limit_of(algorithm, terms, shadow)
  local age, charge, take = algorithms[algorithm](terms)
  local function both(now, cost, time, used, more)
    local room, t, u, m = age(now, time, used, more)
    if cost > room then return nil end
    return charge(now, now, cost, t, u, m)
  end
  return {age = age, charge = charge, take = take or both, shadow = shadow, permits = terms.permits}
end

local function ceildiv(a, b)
  a = a + b - 1
  return (a - a % b) / b
end

-- Functions shared by all algorithms. Numbers are integers below 2^53, on which these are exact. `x - x % 1` is the floor of
-- x, and `(a - a % b) / b` that of a / b, without the cost of a function call.
--
-- An algorithm turns the parameters of a limit into two functions over the numbers of a state: its time, the permits used, and
-- an extra value, if the algorithm needs one. The state of a key that was never charged is 0, 0.
--   advance(now, time, used, extra) -> available, time, used, extra      advances the state to now and returns the permits
--                                                   available; a fifth result, if true: store the state even if not charged
--   charge(now, when, cost, time, used, extra) -> reset, time, used, extra     reset is the time until all permits are back
-- An algorithm may return a third function that does both at once, for a cost above 0; it returns nil if the cost is not
-- available or the case is not a simple one.
--   take(now, cost, time, used, extra) -> reset, time, used, extra
local max, min = math.max, math.min
local algorithms = {}

-- The parameters of a limit, as in LimitParameters.java; if its windows follow a calendar, `window_start` and `window_since`
-- are added for one window. `burst` is also the largest cost that can ever be admitted.
local function limit_parameters(permits, period, burst, cool_down, units_per_permit, rate_units, rate_micros, slice_count)
  return {permits = permits, period = period, burst = burst, cool_down = cool_down, units_per_permit = units_per_permit,
          rate_units = rate_units, rate_micros = rate_micros, slice_count = slice_count,
          capacity_units = burst * units_per_permit, max_debt_level = 2 * burst * units_per_permit + rate_units}
end

-- Creates a limit from the name of its algorithm and its parameters. A take checks a deferred limit but does not charge it.
local function new_limit(algorithm, parameters, shadow, deferred)
  local advance, charge, take = algorithms[algorithm](parameters)
  local function advance_and_charge(now, cost, time, used, extra)
    local available, t, u, e = advance(now, time, used, extra)
    if cost > available then return nil end
    return charge(now, now, cost, t, u, e)
  end
  if deferred then take = function() return nil end end -- not a simple case
  return {advance = advance, charge = charge, take = take or advance_and_charge, shadow = shadow, deferred = deferred,
          permits = parameters.permits}
end

local function ceildiv(a, b)
  a = a + b - 1
  return (a - a % b) / b
end

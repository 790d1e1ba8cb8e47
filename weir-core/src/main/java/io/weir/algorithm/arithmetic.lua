-- What every algorithm may use. Numbers are integers below 2^53, on which these are exact.
local floor, max, min = math.floor, math.max, math.min
local algorithms = {}

local function ceildiv(a, b) return floor((a + b - 1) / b) end

-- The most a bucket's state may say is used: twice its size, and what may trickle in during a turn.
local function brim(t) return 2 * t.burst * t.unit + t.p end

-- The time in which `amount` units drain, rounded up.
local function drain(t, amount)
  local turns = floor(amount / t.p)
  return turns * t.q + ceildiv((amount - turns * t.p) * t.q, t.p)
end

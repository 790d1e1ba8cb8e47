-- Bursts up to the capacity of the bucket, then the refill rate. The Lua counterpart of TokenBucket.java.
return function(parameters)
  local burst, units_per_permit = parameters.burst, parameters.units_per_permit
  local rate_units, rate_micros = parameters.rate_units, parameters.rate_micros
  local capacity_units, max_level, max_cost = parameters.capacity_units, parameters.max_debt_level, 2 * parameters.burst

  -- The units to refund for permits charged at `when`: those that have not drained since.
  local function undrained(now, when, cost)
    local amount, elapsed = min(cost * units_per_permit, max_level), now - when
    if elapsed <= 0 then return amount end
    local remainder = elapsed % rate_micros
    local partial_drain = remainder * rate_units
    return max(0, amount - (elapsed - remainder) / rate_micros * rate_units
      - (partial_drain - partial_drain % rate_micros) / rate_micros)
  end

  local function advance(now, time, used)
    local elapsed, partial_drain = now - time, 0
    if used > max_level then used = max_level end -- the limit was lowered
    if elapsed < 0 then
      if used > capacity_units then used = capacity_units end
      time = now
    elseif used > 0 then
      local remainder = elapsed % rate_micros
      local drained = (elapsed - remainder) / rate_micros * rate_units
      if remainder > 0 then
        partial_drain = remainder * rate_units
        partial_drain = (partial_drain - partial_drain % rate_micros) / rate_micros
      end
      if drained + partial_drain < used then
        time, used = now - remainder, used - drained
      else
        time, used, partial_drain = now, 0, 0
      end
    else
      time = now
    end
    local free = capacity_units - used + partial_drain
    if free <= 0 then return 0, time, used end
    local available = (free - free % units_per_permit) / units_per_permit
    return available < burst and available or burst, time, used
  end

  local function charge(now, when, cost, time, used)
    if cost < 0 then
      used = used - undrained(now, when, -cost)
    else
      used = used + min(cost, max_cost) * units_per_permit
    end
    if used <= 0 then return 0, time, 0 end
    if used > max_level then used = max_level end
    local left = used % rate_units
    local rounded = left * rate_micros + rate_units - 1
    local reset = (used - left) / rate_units * rate_micros + (rounded - rounded % rate_units) / rate_units - (now - time)
    return reset > 0 and reset or 0, time, used
  end

  -- The fast path for nearly every request, where no product leaves the exact integers. The partial drain is less than
  -- rate_units and only compared with integers, so its fraction makes no difference.
  if max_level * rate_micros >= 2 ^ 53 then return advance, charge end
  local function take(now, cost, time, used)
    local elapsed = now - time
    if elapsed < 0 or used > max_level then return nil end
    local remainder = elapsed % rate_micros
    local left, partial_drain = used - (elapsed - remainder) / rate_micros * rate_units, remainder * rate_units / rate_micros
    if left > partial_drain then
      time, used = now - remainder, left
    else
      time, used, partial_drain = now, 0, 0
    end
    used = used + cost * units_per_permit
    if used - partial_drain > capacity_units then return nil end
    local drain = used * rate_micros
    return (drain + -drain % rate_units) / rate_units - now + time, time, used
  end

  return advance, charge, take
end

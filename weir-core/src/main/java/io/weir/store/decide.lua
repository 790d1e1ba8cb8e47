-- The decision, once for every algorithm: look at all claims, then charge all or none. The twin of Decide.java.
-- A claim is {algorithm, terms, state, cost, shadow}; claims on one key share one state.
-- mode: take | peek | force | refund      when: the time the charge counts at
-- Returns per claim fits (1 or 0), remaining, reset, pause. Marks the states that must be stored as changed: those
-- charged, and those that followed a clock that stepped back.
local function decide(claims, mode, now, when)
  local admitted = true
  for i = 1, #claims do
    local c = claims[i]
    local a, t, s = c.algorithm, c.terms, c.state
    if not s.pending then
      s.changed = s.time > now
      a.age(t, s, now)
      s.room, s.pending, s.taken = a.room(t, s, now), 0, 0
    end
    s.pending = s.pending + c.cost
    if s.pending > s.room and not c.shadow then admitted = false end
  end

  local charged = mode ~= 'peek' and (mode ~= 'take' or admitted)
  local outcomes = {}
  for i = 1, #claims do
    local c = claims[i]
    local a, t, s = c.algorithm, c.terms, c.state
    local asked = s.taken + c.cost
    local fits, pause = asked <= s.room, 0
    if fits then
      if a.delay then pause = a.delay(t, s, now) end
    elseif asked > a.most(t) then
      pause = -1
    else
      pause = a.wait(t, s, now, asked)
    end
    if not charged then
      s.taken = asked
    elseif fits or mode ~= 'take' then
      s.changed = true
      a.charge(t, s, when, mode == 'refund' and -c.cost or c.cost)
      s.room = a.room(t, s, now)
    end
    outcomes[#outcomes + 1] = fits and 1 or 0
    outcomes[#outcomes + 1] = s.room
    outcomes[#outcomes + 1] = a.wait(t, s, now, a.most(t))
    outcomes[#outcomes + 1] = pause
  end
  for i = 1, #claims do claims[i].state.pending = nil end
  return outcomes
end

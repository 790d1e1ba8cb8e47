-- For servers without functions.
local function build()
{{body}}
end
return build()(KEYS, ARGV)

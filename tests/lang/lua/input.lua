-- A cache with a limit: what was not used for longest goes first.
local http = require("resty.http")
local log = require "app.log"
local json <const> = require('cjson').new()

local M = {}

M.VERSION = "1.2"

--- How many entries it holds.
local MAX_ENTRIES = 100

local Cache = setmetatable({}, { __index = Base })
Cache.__index = Cache

--- Makes an empty cache.
-- @param size at most so many entries
function Cache.new(size)
  local self = setmetatable({}, Cache)
  self.entries = {}
  self.size = size or MAX_ENTRIES
  return self
end

function Cache:get(key)
  local entry = self.entries[key]
  if not entry then
    self:miss(key)
    return nil
  end
  return entry.value
end

-- Not told to others.
local function evict(cache)
  table.remove(cache.entries, 1)
  log.debug("evicted")
end

function Cache:put(key, value)
  evict(self)
  self.entries[key] = { value = value }
end

M.fetch = function(url)
  local client = http.new()
  local response, err = client:request_uri(url, { method = "GET" })
  return json.decode(response.body), err
end

local retry = function(times, fn)
  for _ = 1, times do
    local ok = pcall(fn)
    if ok then return true end
  end
end

function M.a.b.deep() end

function global_start()
  retry(3, M.fetch)
end

return M

//! A queue of requests.
const std = @import("std");
const pool = @import("pool.zig");
const Allocator = std.mem.Allocator;

/// How many wait at most.
pub const max_waiting: usize = 64;

var started = false;

pub const Error = error{ Full, Closed };

const State = enum { open, closed };

/// One request.
pub const Request = struct {
    url: []const u8,
    tries: u8 = 0,

    const Self = @This();

    pub fn init(url: []const u8) Request {
        return .{ .url = url };
    }

    fn again(self: *Self) bool {
        self.tries += 1;
        return self.tries < max_waiting;
    }
};

const Value = union(enum) {
    number: i64,
    text: []const u8,
};

/// A queue of any type.
pub fn Queue(comptime T: type) type {
    return struct {
        items: std.ArrayList(T),

        const This = @This();

        pub fn push(self: *This, item: T) !void {
            try self.items.append(item);
        }
    };
}

// Runs all requests.
pub fn run(allocator: Allocator, queue: *Queue(Request)) !usize {
    var done: usize = 0;
    while (queue.pop()) |request| {
        if (request.again()) {
            try send(allocator, request);
        }
        done += 1;
    }
    log.info("done {d}", .{done});
    return done;
}

fn send(allocator: Allocator, request: Request) Error!void {
    _ = pool.acquire(allocator);
    std.debug.assert(request.tries > 0);
}

export fn c_start() callconv(.C) void {
    started = true;
}

extern "c" fn getenv(name: [*:0]const u8) ?[*:0]u8;

test "a request is tried again" {
    var request = Request.init("https://example.org");
    try std.testing.expect(request.again());
}

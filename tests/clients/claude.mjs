// Claude Code connects without login when it lists its servers.
import path from "node:path";
import { check, inWorld, program, run } from "./world.mjs";

const PLUGIN = path.join(import.meta.dirname, "../../agent-configs/claude-code-plugin");

const QUIET = { DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };

await inWorld(async (world) => {
    const claude = (...words) => run(world, [program("claude"), "mcp", ...words], QUIET);
    const added = await claude("add", "--scope", "user", "engram", "--", "engram", "serve");
    check("mcp add", added.code === 0, added);
    const listed = await claude("list");
    check("mcp list says connected", /^engram: .*Connected/m.test(listed.out), listed);
});

await inWorld(async (world) => {
    const validated = await run(world, [program("claude"), "plugin", "validate", PLUGIN], QUIET);
    check("plugin validate passes", validated.code === 0 && validated.out.includes("Validation passed"), validated);
    const listed = await run(world, [program("claude"), "--plugin-dir", PLUGIN, "mcp", "list"], QUIET);
    check("the plugin's server is connected", /engram:engram: .*Connected/.test(listed.out), listed);
});

// Claude Code connects without login when it lists its servers.
import { check, inWorld, program, run } from "./world.mjs";

const QUIET = { DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };

await inWorld(async (world) => {
    const claude = (...words) => run(world, [program("claude"), "mcp", ...words], QUIET);
    const added = await claude("add", "--scope", "user", "engram", "--", "engram", "serve");
    check("mcp add", added.code === 0, added);
    const listed = await claude("list");
    check("mcp list says connected", /^engram: .*Connected/m.test(listed.out), listed);
});

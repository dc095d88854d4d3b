// The Inspector's command line in every era; --strict lints the tools' schemas.
import { BINARY, FACT, QUESTION, TELLING, TOOLS, check, inWorld, program, run, same } from "./world.mjs";

const inspect = (world, era, ...words) =>
    run(world, [program("mcp-inspector"), "--cli", "--protocol-era", era, BINARY, ...words]);

async function drive(era, world) {
    const listed = await inspect(world, era, "--method", "tools/list", "--strict");
    const names = listed.code === 0 && JSON.parse(listed.out).tools.map((tool) => tool.name).sort();
    check(`${era}: five tools pass --strict`, same(names, TOOLS), listed);
    const stored = await inspect(world, era, "--method", "tools/call", "--tool-name", "remember", "--tool-arg", `text=${FACT}`);
    check(`${era}: remember`, stored.code === 0, stored);
    const recalled = await inspect(world, era, "--method", "tools/call", "--tool-name", "recall", "--tool-arg", `query=${QUESTION}`);
    check(`${era}: recall has the fact`, recalled.code === 0 && recalled.out.includes(TELLING), recalled);
}

for (const era of ["legacy", "auto", "modern"]) await inWorld((world) => drive(era, world));

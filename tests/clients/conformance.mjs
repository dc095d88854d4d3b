// The official conformance scenarios of both eras; what must fail, and why, is in conformance-REVISION.yaml.
import { spawn } from "node:child_process";
import path from "node:path";
import { withBridge } from "./bridge.mjs";
import { BINARY, check, environment, inWorld, program, run } from "./world.mjs";

/** What the runner says below its totals, without the failures that it expected. */
const verdict = (out) => out.slice(out.lastIndexOf("\nTotal:")).replaceAll(/^ +~.*\n/gm, "");

async function drive(revision, world) {
    const start = () =>
        spawn(BINARY, ["serve"], { cwd: world.project, env: environment(world), stdio: ["pipe", "pipe", "inherit"] });
    const baseline = path.join(import.meta.dirname, `conformance-${revision}.yaml`);
    const done = await withBridge(start, (url) =>
        run(world, [program("conformance"), "server", "--url", url, "--requirements", revision,
            "--expected-failures", baseline, "-o", path.join(world.base, "results")]));
    check(`${revision}: fails just what ${path.basename(baseline)} names`, done.code === 0, verdict(done.out) + done.err);
}

for (const revision of ["2025-11-25", "2026-07-28"]) await inWorld((world) => drive(revision, world));

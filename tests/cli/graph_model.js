// What the page of `engram graph` computes without a screen: node graph_model.js MODEL
"use strict";
const assert = require("node:assert");
const Model = require(process.argv[2]);

const node = (id, kind, label, more) => ({ id, kind, label, at: 0, community: 0, centrality: 0, state: "current", ...more });
const data = {
  nodes: [
    node("m1", "memory", "Larder keeps its stock in PostgreSQL", { text: "Larder keeps its stock in PostgreSQL.", at: 100 }),
    node("m2", "memory", "Mara looks after Larder", { at: 200, state: "superseded" }),
    node("e3", "entity", "Larder", { at: 300, community: 7, centrality: 2 }),
    node("e4", "entity", "PostgreSQL", { at: 1000 }),
    node("e5", "entity", "Crème brûlée", { at: 1000 }),
  ],
  edges: [
    { from: "m1", to: "e3", kind: "mentions" },
    { from: "m1", to: "e4", kind: "mentions" },
    { from: "m2", to: "e3", kind: "mentions" },
    { from: "e3", to: "e4", kind: "relation", label: "depends_on" },
  ],
};
const graph = Model.index(data);
const ids = (list) => list.map((n) => n.id);

const promises = {
  "a search finds every word, in names before texts, the central ones first"() {
    assert.deepEqual(ids(Model.search(graph, "larder")), ["e3", "m1", "m2"]);
    assert.deepEqual(ids(Model.search(graph, "stock LARDER")), ["m1"]);
    assert.deepEqual(ids(Model.search(graph, "creme brulee")), ["e5"]);
    assert.deepEqual(ids(Model.search(graph, "m2")), ["m2"]);
    assert.equal(Model.search(graph, "").length, data.nodes.length);
    assert.deepEqual(Model.search(graph, "nothing"), []);
  },
  "filters are kinds, communities, times and states together"() {
    const all = { kinds: new Set(["memory", "entity"]), communities: new Set(), from: 0, to: 1000, old: true };
    const left = (more) => ids(data.nodes.filter((n) => Model.passes(n, { ...all, ...more })));
    assert.equal(left({}).length, 5);
    assert.deepEqual(left({ kinds: new Set(["entity"]) }), ["e3", "e4", "e5"]);
    assert.deepEqual(left({ communities: new Set([7]) }), ["e3"]);
    assert.deepEqual(left({ from: 150, to: 300 }), ["m2", "e3"]);
    assert.deepEqual(left({ old: false, kinds: new Set(["memory"]) }), ["m1"]);
  },
  "the timeline counts every node once"() {
    const { first, last, counts } = Model.timeline(data.nodes, 9);
    assert.deepEqual([first, last, counts.length], [100, 1000, 9]);
    assert.equal(counts.reduce((a, b) => a + b), 5);
    assert.equal(counts[8], 2);
    assert.deepEqual(Model.timeline([], 3).counts, [0, 0, 0]);
    assert.deepEqual(Model.timeline([data.nodes[0]], 3).counts, [1, 0, 0]);
  },
  "a path is the shortest one, and none where it is too far or there is none"() {
    assert.deepEqual(Model.path(graph, ["e4"], "m2", 4), ["e4", "e3", "m2"]);
    assert.deepEqual(Model.path(graph, ["m1"], "m1", 4), ["m1"]);
    assert.equal(Model.path(graph, ["e4"], "m2", 1), null);
    assert.equal(Model.path(graph, ["e4"], "e5", 4), null);
    assert.equal(Model.path(graph, ["gone"], "m1", 4), null);
  },
  "colours are what WebGL reads, and differ between neighbours"() {
    for (const dark of [false, true])
      for (let place = -1; place < 40; place++) {
        assert.match(Model.colour(place, dark), /^#[0-9a-f]{6}$/);
        assert.notEqual(Model.colour(place, dark), Model.colour(place + 1, dark));
      }
  },
  "an edge reads from either end"() {
    const [from] = graph.around.get("e3").filter((s) => s.edge.kind === "relation");
    const [to] = graph.around.get("e4").filter((s) => s.edge.kind === "relation");
    assert.equal(Model.says(from, "PostgreSQL"), "depends_on → PostgreSQL");
    assert.equal(Model.says(to, "Larder"), "← depends_on Larder");
  },
};
for (const [name, check] of Object.entries(promises)) {
  check();
  console.log(`kept     ${name}`);
}

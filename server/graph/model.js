"use strict";
/* What the page knows of the graph, without a screen: values in, values out. */
const Model = (() => {
  /* Nodes by id, and each one's edges: [{edge, other, out}]. */
  function index(data) {
    const node = new Map(data.nodes.map((n) => [n.id, n]));
    const around = new Map(data.nodes.map((n) => [n.id, []]));
    data.edges.forEach((edge, at) => {
      around.get(edge.from).push({ edge, at, other: edge.to, out: true });
      around.get(edge.to).push({ edge, at, other: edge.from, out: false });
    });
    return { node, around };
  }

  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  /* How much a node matters: its centrality where a pass told it, else by its edges. */
  const weight = (graph, n) => Math.max(n.centrality, graph.around.get(n.id).length / 8);

  /* Nodes that hold every word, names before texts, what matters first. */
  function search(graph, query) {
    const words = folded(query).split(/\s+/).filter(Boolean);
    const found = [];
    for (const n of graph.node.values()) {
      const name = folded(`${n.id} ${n.label}`), all = `${name} ${folded(n.text || "")} ${folded(n.source || "")}`;
      if (!words.every((w) => all.includes(w))) continue;
      found.push({ n, rank: words.length && words.every((w) => name.includes(w)) ? 0 : 1 });
    }
    found.sort((a, b) => a.rank - b.rank || weight(graph, b.n) - weight(graph, a.n) || (a.n.id < b.n.id ? -1 : 1));
    return found.map((f) => f.n);
  }

  /* Does a node pass the filters? {kinds: Set, communities: Set (empty: all), from, to, old} */
  function passes(n, filters) {
    return filters.kinds.has(n.kind) && (!filters.communities.size || filters.communities.has(n.community)) &&
      n.at >= filters.from && n.at <= filters.to && (filters.old || n.state === "current");
  }

  /* Counts of `bins` equal spans of time, with their bounds. */
  function timeline(nodes, bins) {
    let first = Infinity, last = -Infinity;
    for (const n of nodes) {
      first = Math.min(first, n.at);
      last = Math.max(last, n.at);
    }
    if (first > last) return { first: 0, last: 0, counts: new Array(bins).fill(0) };
    const counts = new Array(bins).fill(0), step = Math.max(1, (last - first + 1) / bins);
    for (const n of nodes) counts[Math.min(bins - 1, Math.floor((n.at - first) / step))]++;
    return { first, last, counts };
  }

  /* The shortest way from one of `starts` to `goal` of at most `most` steps: [ids], or null. */
  function path(graph, starts, goal, most) {
    const before = new Map(starts.map((id) => [id, null]));
    let border = starts.filter((id) => graph.node.has(id));
    for (let step = 0; border.length && step <= most; step++) {
      if (border.includes(goal)) {
        const way = [];
        for (let id = goal; id !== null; id = before.get(id)) way.unshift(id);
        return way;
      }
      const next = [];
      for (const id of border)
        for (const { other } of graph.around.get(id))
          if (!before.has(other)) {
            before.set(other, id);
            next.push(other);
          }
      border = next;
    }
    return null;
  }

  /* Colours of communities, far apart for neighbours in the list; 0 is "none". */
  function colour(place, dark) {
    if (place < 0) return dark ? "#7d8590" : "#8c8579";
    const hue = (place * 137.508 + 205) % 360, light = dark ? 66 : 45;
    return hsl(hue, 62, light - (place % 3) * 6);
  }

  /* WebGL reads hexadecimal colours only. */
  function hsl(h, s, l) {
    const a = (s / 100) * Math.min(l / 100, 1 - l / 100);
    const part = (n) => {
      const k = (n + h / 30) % 12, c = l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1));
      return Math.round(255 * c).toString(16).padStart(2, "0");
    };
    return `#${part(0)}${part(8)}${part(4)}`;
  }

  /* What an edge says, read from one of its ends. */
  function says(step, name) {
    const what = step.edge.label || step.edge.kind.replace(/_/g, " ");
    return step.out ? `${what} → ${name}` : `← ${what} ${name}`;
  }

  return { index, weight, search, passes, timeline, path, colour, says };
})();
if (typeof module !== "undefined") module.exports = Model;

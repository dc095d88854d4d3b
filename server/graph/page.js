"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const graph = Model.index(data);
  const at = (id) => document.getElementById(id);
  const BINS = 60, MAX_LISTED = 200, MAX_LABEL = 36, MAX_NAMED = 6, MANY_EDGES = 3000, MAX_STEPS = 4, LAYOUT_MS = 4000, LAYOUT_SLICE_MS = 12;
  const place = new Map(data.communities.map((c, i) => [c.id, i]));
  const kinds = [...new Set(data.nodes.map((n) => n.kind))].sort();
  const times = Model.timeline(data.nodes, BINS);
  const filters = { kinds: new Set(kinds), communities: new Set(), from: times.first, to: times.last, old: true };
  const onPath = { nodes: new Set(), edges: new Set(), named: new Set() };
  let selected = null, hovered = null, near = new Set(), sigma = null, drawn = null;

  /* ---- small helpers ---- */

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }
  const say = (text) => { at("said").textContent = text; };
  const isDark = () => document.documentElement.dataset.theme === "dark";
  const day = (ms) => (ms ? new Date(ms).toISOString().slice(0, 10) : "");
  const short = (text) => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text);
  const colourOf = (n) => Model.colour(place.has(n.community) ? place.get(n.community) : -1, isDark());
  function chip(colour) {
    const c = make("span", { className: "chip", ariaHidden: "true" });
    c.style.background = colour;
    return c;
  }
  function nodeButton(n, text) {
    const b = make("button", { type: "button" }, chip(colourOf(n)), make("span", { className: "name", textContent: text || n.label || n.id }),
      make("span", { className: "count", textContent: n.id }));
    b.title = n.label;
    b.addEventListener("click", () => select(n.id, true));
    return b;
  }

  /* ---- what is shown ---- */

  const shown = (n) => Model.passes(n, filters) || onPath.nodes.has(n.id);

  function refresh() {
    const list = Model.search(graph, at("query").value).filter(shown);
    at("found").replaceChildren(...list.slice(0, MAX_LISTED).map((n) => {
      const item = make("li", {}, nodeButton(n));
      if (n.id === selected) item.firstChild.setAttribute("aria-current", "true");
      return item;
    }));
    at("found-title").textContent = list.length > MAX_LISTED ? `Nodes: ${MAX_LISTED} of ${list.length}` : `Nodes: ${list.length}`;
    if (sigma) sigma.refresh({ skipIndexation: true });
    bars();
    return list;
  }

  function card() {
    const n = graph.node.get(selected), box = at("card");
    box.hidden = !n;
    if (!n) return;
    const close = make("button", { type: "button", className: "close", textContent: "×", ariaLabel: "Close the card" });
    close.addEventListener("click", () => select(null));
    const meta = [n.id, n.kind + (n.type ? ` (${n.type})` : ""), day(n.at), n.state === "current" ? "" : n.state, n.pinned ? "pinned" : "",
      `said by ${n.origin}`, n.source || ""].filter(Boolean).join(" · ");
    box.replaceChildren(close, make("h3", { id: "card-title", textContent: n.label || n.id }), make("p", { className: "meta", textContent: meta }));
    if (n.text && n.text !== n.label) box.append(make("p", { className: "text", textContent: n.text, tabIndex: 0 }));
    const steps = graph.around.get(n.id);
    box.append(make("h4", { textContent: steps.length ? `Edges: ${steps.length}` : "No edges in this picture" }));
    box.append(make("ul", {}, ...steps.slice(0, MAX_LISTED).map((step) => {
      const other = graph.node.get(step.other);
      return make("li", {}, nodeButton(other, Model.says(step, other.label || other.id)));
    })));
  }

  function select(id, move) {
    selected = id;
    near = new Set(id ? graph.around.get(id).map((s) => s.other) : []);
    card();
    if (sigma) sigma.setSetting("renderEdgeLabels", Boolean(id)); // looks at every edge in each frame
    refresh();
    const n = graph.node.get(id);
    say(n ? `${n.kind} ${n.label}, ${near.size} neighbours` : "Nothing is selected");
    if (n && move) {
      at("card").focus({ preventScroll: false });
      if (sigma) {
        const p = sigma.getNodeDisplayData(id);
        if (p) sigma.getCamera().animate({ x: p.x, y: p.y, ratio: Math.min(sigma.getCamera().ratio, .35) }, { duration: calm() ? 0 : 250 });
      }
    }
  }
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  /* ---- filters ---- */

  function listKinds() {
    for (const kind of kinds) {
      const box = make("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        filters.kinds[box.checked ? "add" : "delete"](kind);
        changed();
      });
      const count = data.nodes.filter((n) => n.kind === kind).length;
      at("kinds").append(make("label", {}, box, kind, make("span", { className: "count", textContent: String(count) })));
    }
  }

  function listCommunities() {
    at("communities").replaceChildren(...data.communities.map((c, i) => {
      const b = make("button", { type: "button" }, chip(Model.colour(i, isDark())), make("span", { className: "name", textContent: c.label || `community ${c.id}` }),
        make("span", { className: "count", textContent: String(c.members) }));
      b.setAttribute("aria-pressed", String(filters.communities.has(c.id)));
      b.addEventListener("click", () => {
        const has = filters.communities.has(c.id);
        filters.communities[has ? "delete" : "add"](c.id);
        b.setAttribute("aria-pressed", String(!has));
        changed();
      });
      return make("li", {}, b);
    }));
  }

  function bars() {
    const visible = data.nodes.filter((n) => shown(n)), most = Math.max(1, ...times.counts);
    const svg = at("bars"), step = (times.last - times.first + 1) / BINS;
    svg.setAttribute("viewBox", `0 0 ${BINS} 100`);
    svg.replaceChildren(...times.counts.map((count, i) => {
      const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      const height = count ? Math.max(3, (100 * Math.sqrt(count)) / Math.sqrt(most)) : 0;
      for (const [name, value] of [["x", i + .08], ["y", 100 - height], ["width", .84], ["height", height]]) bar.setAttribute(name, value);
      const from = times.first + i * step;
      if (from + step > filters.from && from <= filters.to) bar.setAttribute("class", "in");
      return bar;
    }));
    at("span").textContent = `${day(filters.from)} to ${day(filters.to)}, ${visible.length} nodes`;
  }

  function watchTimes() {
    for (const end of ["from", "to"]) {
      at(end).max = String(BINS);
      at(end).value = String(end === "from" ? 0 : BINS);
      at(end).addEventListener("input", () => {
        const step = (times.last - times.first) / BINS, low = Math.min(at("from").value, at("to").value), high = Math.max(at("from").value, at("to").value);
        filters.from = times.first + low * step;
        filters.to = times.first + high * step;
        changed();
      });
    }
  }

  function changed() {
    const list = refresh();
    say(`${list.length} nodes`);
  }

  /* ---- a recall ---- */

  function showRecall() {
    if (!data.recall) return;
    at("recall").hidden = false;
    at("recall-query").textContent = `“${data.recall.query}”`;
    const starts = data.recall.entities.filter((id) => graph.node.has(id));
    for (const item of data.recall.items) {
      const n = graph.node.get(item.id);
      if (!n) continue;
      onPath.nodes.add(n.id);
      if (onPath.named.size < MAX_NAMED) onPath.named.add(n.id);
      const way = Model.path(graph, starts, n.id, MAX_STEPS) || [];
      way.forEach((id, i) => {
        onPath.nodes.add(id);
        if (i) onPath.edges.add(`${way[i - 1]} ${id}`).add(`${id} ${way[i - 1]}`);
      });
      at("recall-items").append(make("li", {}, nodeButton(n),
        make("span", { className: "why", textContent: `score ${item.score.toFixed(2)}: ${item.why.join("; ")}` })));
    }
    starts.forEach((id) => onPath.nodes.add(id) && onPath.named.add(id));
  }

  /* ---- drawing ---- */

  function edgeStyle(edge, attributes) {
    const [from, to] = [attributes.from, attributes.to];
    const touches = selected && (from === selected || to === selected);
    const visible = shown(graph.node.get(from)) && shown(graph.node.get(to));
    const path = onPath.edges.has(`${from} ${to}`);
    return { ...attributes, hidden: !visible || (selected && !touches && !path), color: path ? (isDark() ? "#ffb454" : "#b35900") : touches ? (isDark() ? "#7fb8ff" : "#0b57a4") : isDark() ? "#343a43" : "#d5d0c6",
      size: path ? 3 : touches ? 1.6 : .6, zIndex: path || touches ? 1 : 0, label: touches ? attributes.label : "", forceLabel: Boolean(touches) };
  }

  function nodeStyle(id, attributes) {
    const n = graph.node.get(id), involved = !selected || id === selected || near.has(id) || onPath.nodes.has(id);
    const old = n.state !== "current";
    return { ...attributes, hidden: !shown(n), color: involved ? (old ? (isDark() ? "#555c66" : "#b9b3a8") : colourOf(n)) : isDark() ? "#2a2f37" : "#e6e2da",
      label: involved ? attributes.label : "", zIndex: involved ? 1 : 0, highlighted: id === selected || id === hovered,
      forceLabel: id === selected || onPath.named.has(id) || (selected && near.has(id) && near.size < 30) };
  }

  /* A start that is the same each time: communities around a circle, nodes around their community. */
  function startOf(n, i) {
    const c = place.has(n.community) ? place.get(n.community) : data.communities.length;
    const turn = (c * 2.399963) % (2 * Math.PI), far = 40 * Math.sqrt(c + 1), own = (i * 2.399963) % (2 * Math.PI);
    return { x: far * Math.cos(turn) + 8 * Math.sqrt(1 + (i % 97)) * Math.cos(own), y: far * Math.sin(turn) + 8 * Math.sqrt(1 + (i % 97)) * Math.sin(own) };
  }

  /* ForceAtlas2 in slices between frames, so that the page answers while it settles. */
  function settle() {
    const iterate = libraries("./iterate.js"), helpers = libraries("./helpers.js");
    const settings = { ...libraries("./defaults.js"), barnesHutOptimize: drawn.order > 500, adjustSizes: false, gravity: 1, scalingRatio: 8, slowDown: 1 + Math.log(drawn.order + 1), linLogMode: false };
    const matrices = helpers.graphToByteArrays(drawn, () => 1), until = performance.now() + LAYOUT_MS;
    let rounds = Math.max(60, Math.min(400, Math.round(400000 / (drawn.order + 1))));
    (function slice() {
      const end = performance.now() + LAYOUT_SLICE_MS;
      do iterate(settings, matrices.nodes, matrices.edges);
      while (--rounds > 0 && performance.now() < end);
      helpers.assignLayoutChanges(drawn, matrices.nodes, null);
      if (rounds > 0 && performance.now() < until) requestAnimationFrame(slice);
    })();
  }

  function theme() {
    if (!sigma) return;
    sigma.setSetting("labelColor", { color: isDark() ? "#e8e6e1" : "#1f1d1a" });
    sigma.setSetting("edgeLabelColor", { color: isDark() ? "#a29d93" : "#655f55" });
    sigma.refresh();
  }

  function draw() {
    drawn = new graphology.MultiDirectedGraph();
    data.nodes.forEach((n, i) => drawn.addNode(n.id, { ...startOf(n, i), label: short(n.label || n.id), size: 2.5 + Math.min(9, 2 * Math.sqrt(Model.weight(graph, n))) }));
    data.edges.forEach((e) => drawn.addDirectedEdge(e.from, e.to, { from: e.from, to: e.to, label: e.label || e.kind }));
    try {
      sigma = new Sigma(drawn, at("canvas"), { nodeReducer: nodeStyle, edgeReducer: edgeStyle, hideEdgesOnMove: drawn.size > MANY_EDGES, hideLabelsOnMove: drawn.size > MANY_EDGES, zIndex: true,
        labelRenderedSizeThreshold: 7, labelDensity: .6, defaultDrawNodeHover: hoverLabel, minCameraRatio: .02, maxCameraRatio: 4 });
    } catch (trouble) {
      at("no-webgl").hidden = false;
      return;
    }
    sigma.on("clickNode", ({ node }) => select(node));
    sigma.on("clickStage", () => select(null));
    sigma.on("enterNode", ({ node }) => { hovered = node; });
    sigma.on("leaveNode", () => { hovered = null; });
    theme();
    settle();
  }

  function hoverLabel(context, d, settings) {
    context.font = `${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(d.label || "").width;
    context.fillStyle = isDark() ? "#2b313a" : "#ffffff";
    context.fillRect(d.x, d.y - settings.labelSize / 2 - 4, width + d.size + 12, settings.labelSize + 8);
    context.fillStyle = isDark() ? "#e8e6e1" : "#1f1d1a";
    context.fillText(d.label || "", d.x + d.size + 5, d.y + settings.labelSize / 3);
  }

  /* ---- keys ---- */

  function canvasKey(event) {
    const camera = sigma && sigma.getCamera();
    if (!camera) return;
    const state = camera.getState(), far = .15 * state.ratio;
    const moves = { ArrowLeft: { x: state.x - far }, ArrowRight: { x: state.x + far }, ArrowUp: { y: state.y + far }, ArrowDown: { y: state.y - far },
      "+": { ratio: state.ratio / 1.4 }, "=": { ratio: state.ratio / 1.4 }, "-": { ratio: state.ratio * 1.4 }, 0: { x: .5, y: .5, ratio: 1 } };
    if (!moves[event.key]) return;
    event.preventDefault();
    camera.setState({ ...state, ...moves[event.key] });
  }

  function pageKey(event) {
    if (event.key === "/" && event.target.tagName !== "INPUT") {
      event.preventDefault();
      at("query").focus();
    } else if (event.key === "Escape") {
      at("query").value = "";
      select(null);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && (event.target === at("query") || event.target.closest("#found"))) {
      const buttons = [...at("found").querySelectorAll("button")], i = buttons.indexOf(document.activeElement);
      const next = buttons[event.key === "ArrowDown" ? i + 1 : i - 1];
      event.preventDefault();
      (next || at("query")).focus();
    }
  }

  /* ---- start ---- */

  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  at("theme").textContent = "◐";
  at("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    listCommunities();
    theme();
    refresh();
  });
  at("project").textContent = data.project;
  document.title = `${data.project}: the graph of engram`;
  const left = data.nodes_left_out ? `, ${data.nodes_left_out} more nodes not shown` : "";
  const cut = data.edges_left_out ? `, ${data.edges_left_out} more edges not shown` : "";
  at("counts").textContent = `${data.nodes.length} nodes, ${data.edges.length} edges${left}${cut}`;
  at("canvas").setAttribute("aria-label", `Drawing of ${data.nodes.length} nodes and ${data.edges.length} edges; the list of nodes holds the same.`);
  at("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = at("found").querySelector("button");
    if (first) first.click();
  });
  at("query").addEventListener("input", changed);
  at("old").addEventListener("change", () => {
    filters.old = at("old").checked;
    changed();
  });
  at("canvas").addEventListener("keydown", canvasKey);
  document.addEventListener("keydown", pageKey);
  listKinds();
  listCommunities();
  watchTimes();
  showRecall();
  refresh();
  draw();
  if (graph.node.has(data.focus)) select(data.focus);
})();

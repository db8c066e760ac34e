// The tree as an icicle: a node is as wide as its time, its children are below it.

const NODE = 28; // pixels per row
const MOST_ROWS_DEEP = 30; // below the node zoomed to
const MOST_NODES = 2500;
const THINNEST = 3; // pixels; narrower nodes are not drawn

let tree = null;
let zoomed = null; // the node that fills the width
let treeStep = null; // whose tree it is; null: of all steps of the phase
let nodesDrawn = new Map(); // by button
let siblings = null; // of merged nodes, by place; null: nodes are apart
let stepCount = 1n; // by which times are divided: those of a phase are means per step

/** The step's own tree, or that of the nearest step of its phase that has one. */
function stepWithTree(step) {
  if (step.tree) return step;
  const others = steps.filter((one) => one.tree && one.phase === step.phase);
  const far = (one) => Math.abs(one.at - step.at);
  return others.reduce((near, one) => (near === null || far(one) < far(near) ? one : near), null);
}

/** The node of a place, or the nearest above it that the tree has. */
function nodeAt(place) {
  const merge = state.merge === "1";
  const { parent } = data.forests[merge ? 1 : 0];
  let at = merge ? data.merged_of[place] : place;
  while (at >= 0 && !tree.nodes.has(at)) at = parent[at];
  return at < 0 ? tree : tree.nodes.get(at);
}

function makeShownTree() {
  const step = chosenStep();
  const merge = state.merge === "1";
  treeStep = step === null ? null : stepWithTree(step);
  tree = treeStep ? makeTree(rowsOfStep(treeStep, merge), merge, treeStep.total) : makeTree(rowsOfPhase(state.phase, merge), merge, timeOfPhase(state.phase));
  zoomed = state.place === "" ? tree : nodeAt(Number(state.place));
  siblings = merge ? siblingsOf(treeStep ? rowsOfStep(treeStep, false) : rowsOfPhase(state.phase, false)) : null;
  stepCount = treeStep === null && state.phase !== ALL ? countOfPhase(state.phase) : 1n;
}

const treeName = () => (treeStep ? stepName(treeStep) : allName());

function treeTitle() {
  if (treeStep !== null || state.phase === ALL) return `Tree of ${treeName()}`;
  const phase = shortened(printable(state.phase), 40);
  return stepCount > 1n ? `Tree of ${phase}: mean of ${grouped(stepCount)} steps` : `Tree of ${phase}: 1 step`;
}

/** The work of the steps shown, the sum of durations; and their wall time, if it is known. */
function timesText() {
  if (stepCount > 1n) {
    const work = `work per step: mean ${humanTime(perStep(tree.ns))}, ${rangeOfPhase(state.phase).map(humanTime).join(" to ")}`;
    const [median, p95, max] = (wallsOfPhase(state.phase) ?? []).map(humanTime);
    return median ? `${work} · wall per step: median ${median}, p95 ${p95}, max ${max}` : work;
  }
  const wall = treeStep ? treeStep.wall : wallsOfPhase(state.phase)?.[2];
  return `work ${humanTime(tree.ns)}${missing(wall) ? "" : ` · wall ${humanTime(wall)}`}`;
}

const perStep = (ns) => (ns * 2n + stepCount) / (stepCount * 2n);
const callsPerStep = (calls) => (calls % stepCount === 0n ? grouped(calls / stepCount) : withCommas(decimal(calls, stepCount, 1)));
const spreadAt = (node) => (siblings === null ? null : spreadOf(siblings.get(node.place)));

function valueText(node) {
  if (state.metric === "invocations") return node === tree ? "" : callsPerStep(node.calls);
  return state.metric === "pct_cuda_time" ? share(node.ns, tree.ns) : humanTime(perStep(node.ns));
}

function countText(node) {
  return node.count > 1 ? ` ×${grouped(node.count)}` : "";
}

function matches(node) {
  const search = state.search.toLowerCase();
  return [node.name, shownName(node.name), node.label].some((text) => text.toLowerCase().includes(search));
}

function nodeTip(node) {
  const parent = node.parent === null ? tree : node.parent;
  const color = colorOf(node);
  const above = pathOf(node).slice(0, -1).map((one) => shortened(titleOf(one), 60));
  const spread = spreadAt(node);
  const numbered = (name, number) => (number === "" ? name : `${name}: number ${number}`);
  return tip(
    [color ? swatch(color) : "", shortened(titleOf(node), 2000) + countText(node)],
    [above.join(" › "), shownName(node.name) === printable(node.name) ? "" : shortened(printable(node.name), 2000)],
    [
      stepCount > 1n ? ["Time per step", humanTime(perStep(node.ns))] : null,
      [stepCount > 1n ? `Time in ${grouped(stepCount)} steps` : "Time", `${exactTime(node.ns)} · ${grouped(node.ns)} ns`],
      spread ? [numbered("Least of siblings", spread.leastNumber), humanTime(perStep(spread.least))] : null,
      spread ? ["Median", humanTime(perStep(spread.median))] : null,
      spread ? [numbered("Most", spread.mostNumber), humanTime(perStep(spread.most))] : null,
      [treeStep ? "Share of step" : "Share of all", share(node.ns, tree.ns)],
      node.depth > 0 ? ["Share of parent", share(node.ns, parent.ns)] : null,
      ["Calls", grouped(node.calls)],
      node.calls > 1n ? ["Time per call", humanTime(node.ns / node.calls)] : null,
      node.label ? [printable(data.dimension), shortened(printable(node.label), 60)] : null,
      node.entry >= 0 ? ["Shown in bars as", shortened(nameOfEntry(node.entry), 60)] : null,
    ],
  );
}

/** Shows the tip of the button's node below `y`, or above it if it does not fit there. */
function placeTip(button, x, y, above) {
  const node = button && nodesDrawn.get(button);
  const tip = byId("tip");
  tip.hidden = !node;
  if (!node) return;
  tip.replaceChildren(nodeTip(node));
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(Math.min(x, innerWidth - box.width - 8), 8)}px`;
  tip.style.top = `${y + box.height > innerHeight - 8 ? Math.max(above - box.height, 8) : y}px`;
}

function tipAtMouse(event) {
  placeTip(event.target.closest("button"), event.clientX + 14, event.clientY + 18, event.clientY - 12);
}

/** Who moves with keys sees the same. */
function tipAtFocus(event) {
  const button = event.target.closest("button");
  if (!button?.matches(":focus-visible")) return;
  const box = button.getBoundingClientRect();
  placeTip(button, box.left + 8, box.bottom + 6, box.top - 6);
}

function nodeButton(node, left, width, row, kind) {
  const color = colorOf(node);
  const text = titleOf(node) + countText(node);
  const value = valueText(node);
  const room = width - 12;
  const button = element(
    "button",
    {
      type: "button",
      className: kind,
      tabIndex: node === zoomed ? 0 : -1,
      "aria-label": `${shortened(text, 120)}, ${value}`,
      style: { left: `${left}px`, top: `${row * NODE}px`, width: `${Math.max(width - 1, 1)}px` },
    },
    room > 14 ? namePieces(titlePieces(node, countText(node)), "node-name") : null,
    room > 60 + value.length * 7 ? element("span", { className: "node-value" }, value) : null,
  );
  if (room <= 14) button.style.padding = "0";
  if (color) {
    button.style.background = color;
    button.style.color = textOn(color);
  }
  if (state.search !== "" && !matches(node)) button.classList.add("unlike");
  nodesDrawn.set(button, node);
  return button;
}

/** The space of neighbours that are too thin to be drawn one by one. */
function narrowBlock({ count, from }, to, row) {
  return element("div", {
    className: "narrow",
    title: `${grouped(count)} nodes, each too narrow to be drawn`,
    style: { left: `${from}px`, top: `${row * NODE}px`, width: `${to - from - 1}px` },
  });
}

function drawIcicle() {
  const box = byId("icicle");
  const held = box.contains(document.activeElement);
  const width = box.clientWidth;
  nodesDrawn = new Map();
  byId("tip").hidden = true;
  const path = pathOf(zoomed);
  const buttons = path.slice(0, -1).map((node, row) => nodeButton(node, 0, width, row, "above"));
  let deepest = path.length;
  let leftOut = 0;
  const draw = (nodes, left, all, room, row) => {
    let x = left;
    const narrow = { count: 0, from: 0 }; // neighbours that are too thin, together
    const drawNarrow = () => {
      if (narrow.count > 0 && x - narrow.from >= THINNEST) buttons.push(narrowBlock(narrow, x, row));
      narrow.count = 0;
    };
    for (const node of nodes) {
      const wide = ratio(node.ns, all) * room;
      if (wide >= THINNEST && nodesDrawn.size < MOST_NODES) {
        drawNarrow();
        buttons.push(nodeButton(node, x, wide, row, node === zoomed ? "zoomed" : ""));
        deepest = Math.max(deepest, row + 1);
        if (row < path.length + MOST_ROWS_DEEP) draw(node.children, x, node.ns, wide, row + 1);
        else leftOut += node.children.length;
      } else {
        if (narrow.count++ === 0) narrow.from = x;
        ++leftOut;
      }
      x += wide;
    }
    drawNarrow();
  };
  if (zoomed === tree) draw(tree.children, 0, tree.ns, width, 0);
  else draw([zoomed], 0, zoomed.ns, width, path.length - 1);
  if (buttons.length === 0) {
    const words = data.cut_depth !== null && data.cut_depth < 0
      ? "The trees are too large for a page."
      : tree.children.length === 0 ? "Nothing ran here." : "All nodes have a time of 0.";
    box.replaceChildren(element("p", { className: "nothing" }, words));
    box.style.height = "";
  } else {
    box.replaceChildren(...buttons);
    box.style.height = `${deepest * NODE}px`;
    if (zoomed === tree) box.querySelector("button")?.setAttribute("tabindex", "0");
  }
  if (held) (box.querySelector(".zoomed") || box.querySelector("button"))?.focus();
  byId("icicle-hint").textContent = leftOut > 0
    ? "Click a node to zoom in. Some are too narrow to be drawn: they appear when you zoom in, and the table contains them."
    : "Click a node to zoom in.";
}

function drawCrumbs() {
  const path = [tree, ...pathOf(zoomed)];
  byId("crumbs").replaceChildren(
    ...path.flatMap((node, at) => {
      const name = node === tree ? "All" : shortened(titleOf(node), 60) + countText(node);
      const last = at + 1 === path.length;
      const crumb = element(
        "button",
        {
          type: "button",
          title: node === tree ? name : printable(node.name),
          "aria-current": last ? "true" : undefined,
          onclick: () => zoomTo(node),
        },
        name,
      );
      return at === 0 ? [crumb] : [element("span", { className: "between", "aria-hidden": "true" }, "›"), crumb];
    }),
  );
}

function zoomTo(node) {
  const place = state.merge === "1" ? firstOf[node.place] : node.place;
  update({ place: node === tree ? "" : String(place) });
}

function drawTree() {
  makeShownTree();
  const chosen = chosenStep();
  const among = stepsOf(state.phase);
  byId("tree-title").textContent = treeTitle();
  byId("tree-sum").textContent = timesText();
  byId("tree-sum").title = `${exactTime(tree.ns)} · ${grouped(tree.ns)} ns`;
  const note = byId("tree-note");
  note.hidden = chosen === null || treeStep === chosen;
  if (!note.hidden) {
    note.textContent = treeStep
      ? `The page contains the tree of one step in ${grouped(data.tree_interval)}, but not of ${stepName(chosen)}. This is the nearest: ${stepName(treeStep)}.`
      : `The page does not contain the tree of ${stepName(chosen)} or of a step of its phase. This is the tree of ${treeName()}.`;
  }
  byId("all-steps").hidden = chosen === null;
  const at = chosen === null ? -1 : among.indexOf(chosen);
  byId("step-before").disabled = at === 0 || among.length === 0;
  byId("step-after").disabled = at + 1 >= among.length;
  byId("merge").checked = state.merge === "1";
  drawCrumbs();
  drawIcicle();
}

function stepBy(by) {
  const among = stepsOf(state.phase);
  const at = chosenStep() === null ? (by > 0 ? -1 : among.length) : among.indexOf(chosenStep());
  const next = among[at + by];
  if (next) update({ step: String(next.at) });
}

/** Arrows go along the tree, among what is drawn. */
function moveInIcicle(event) {
  const node = nodesDrawn.get(document.activeElement);
  if (!node) return;
  const buttonOf = (other) => [...nodesDrawn].find(([, one]) => one === other)?.[0];
  const siblings = node.parent.children;
  const beside = siblings[siblings.indexOf(node) + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
  const target = {
    ArrowUp: node.parent,
    ArrowDown: node.children[0],
    ArrowLeft: beside,
    ArrowRight: beside,
  }[event.key];
  if (event.key === "Escape" && zoomed !== tree) zoomTo(zoomed.parent);
  const button = target && buttonOf(target);
  if (!button) return;
  event.preventDefault();
  button.focus();
}

const icicleCard = card(
  "tree",
  "",
  "",
  [
    element("span", { className: "faint", id: "tree-sum", role: "status" }),
    element(
      "div",
      { className: "actions" },
      quietButton("‹", { id: "step-before", "aria-label": "Step before", onclick: () => stepBy(-1) }),
      quietButton("›", { id: "step-after", "aria-label": "Step after", onclick: () => stepBy(1) }),
      quietButton("All steps", { id: "all-steps", hidden: true, onclick: () => update({ step: "" }) }),
      element(
        "label",
        { className: "switch", hidden: !MERGES, title: "Siblings that differ only in their number as one: all layers as one layer" },
        element("input", { type: "checkbox", id: "merge", onchange: (event) => update({ merge: event.target.checked ? "1" : "0" }) }),
        " Merge siblings",
      ),
    ),
  ],
  element("p", { className: "note warning", id: "tree-note", hidden: true }),
  element("nav", { id: "crumbs", className: "crumbs", "aria-label": "Where in the tree" }),
  element("div", {
    id: "icicle",
    className: "icicle",
    role: "group",
    "aria-label": "The tree: nodes below their parents. Arrow keys move, Enter zooms, Escape goes up.",
  }),
  element("p", { className: "faint hint", id: "icicle-hint" }),
);

SHOWS.icicle = () => icicleCard;

function setUpIcicle() {
  if (steps.length === 0) return;
  document.body.append(element("div", { id: "tip", className: "floating", hidden: true }));
  const box = byId("icicle");
  box.addEventListener("mousemove", tipAtMouse);
  box.addEventListener("mouseleave", () => (byId("tip").hidden = true));
  box.addEventListener("focusin", tipAtFocus);
  box.addEventListener("focusout", () => (byId("tip").hidden = true));
  box.addEventListener("click", (event) => {
    const node = nodesDrawn.get(event.target.closest("button"));
    if (node) zoomTo(node === zoomed && node.parent !== null ? node.parent : node);
  });
  box.addEventListener("keydown", moveInIcicle);
  let width = 0;
  new ResizeObserver(() => {
    if (tree === null || box.clientWidth === width) return;
    width = box.clientWidth;
    drawIcicle();
  }).observe(box);
}

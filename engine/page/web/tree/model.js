// The data of the page as it is asked for: bars by step, and trees put together from places.

const data = JSON.parse(byId("data").textContent);

const ALL = "all"; // all phases
const OTHERS_COLOR = "#8d939c";

/** What the bars are made of, the largest first; `others` last. */
const entries = data.entries.map(([name, color]) => ({ name, color }));
if (data.others) entries.push({ name: "others", color: OTHERS_COLOR });

const steps = data.steps.map(([key, phase, seqs, total, cells], at) => ({
  at,
  key,
  phase,
  seqs: seqs === null ? null : BigInt(seqs),
  total: BigInt(total),
  cells,
  tree: null,
}));
for (const [at, shape, ns] of data.trees) steps[at].tree = { shape, ns };

/** `[{ns, calls}]` by entry; entries that the step lacks are missing. */
function cellsOf(step) {
  const cells = [];
  for (let i = 0; i < step.cells.length; i += 3) {
    cells[step.cells[i]] = { ns: BigInt(step.cells[i + 1]), calls: BigInt(step.cells[i + 2]) };
  }
  return cells;
}

function stepName(step) {
  const name = printable(step.key) || "(no name)";
  if (step.seqs === null) return name;
  return `${name} (${grouped(step.seqs)} seq${step.seqs === 1n ? "" : "s"})`;
}

/** Steps of a phase, or all. */
function stepsOf(phase) {
  return phase === ALL ? steps : steps.filter((step) => data.phases[step.phase] === phase);
}

const places = data.places;
const nameOf = (place) => data.texts[places.name[place]];
const labelOf = (place) => (places.label[place] < 0 ? "" : data.texts[places.label[place]]);

/** `[place, ns, calls]` of a step's tree, parents before their children. */
function rowsOfStep(step) {
  const shape = data.shapes[step.tree.shape];
  const count = shape.places.length;
  const ns = new Array(count).fill(0n);
  const at = new Map();
  let leaf = 0;
  for (let i = 0; i < count; ++i) {
    at.set(shape.places[i], i);
    const above = i + 1 < count && places.parent[shape.places[i + 1]] === shape.places[i];
    if (!above) ns[i] = BigInt(step.tree.ns[leaf++]);
  }
  for (let i = count - 1; i >= 0; --i) {
    const parent = at.get(places.parent[shape.places[i]]);
    if (parent !== undefined) ns[parent] += ns[i];
  }
  return shape.places.map((place, i) => [place, ns[i], BigInt(shape.calls[i])]);
}

/** The same of all steps of a phase, or of all. */
function rowsOfPhase(phase) {
  const sums = new Map();
  data.sums.forEach((sum, number) => {
    if (phase !== ALL && data.phases[number] !== phase) return;
    sum.places.forEach((place, i) => {
      const row = sums.get(place);
      const ns = BigInt(sum.ns[i]);
      const calls = BigInt(sum.calls[i]);
      if (row) {
        row[1] += ns;
        row[2] += calls;
      } else sums.set(place, [place, ns, calls]);
    });
  });
  return [...sums.values()].sort((a, b) => a[0] - b[0]);
}

/** Modules are alike where only the number behind their names differs; kernels by their whole name. */
function alike(place, isLeaf) {
  const name = nameOf(place);
  return isLeaf ? name : name.replace(/[._]\d+$/, "");
}

/**
 * A tree of nodes `{key, name, label, entry, ns, calls, count, place, parent, children, depth}`, the
 * root standing for all. With `merge`, siblings that are alike are one node, `count` of them.
 */
function makeTree(rows, merge) {
  const root = { key: "", name: "", label: "", entry: -1, ns: 0n, calls: 0n, count: 1, place: -1, parent: null, children: new Map(), depth: -1 };
  const inner = new Set(rows.map(([place]) => places.parent[place]));
  const nodes = new Map();
  for (const [place, ns, calls] of rows) {
    const parent = nodes.get(places.parent[place]) || root;
    const key = merge ? alike(place, !inner.has(place)) : place;
    let node = parent.children.get(key);
    if (!node) {
      node = { key, name: nameOf(place), label: labelOf(place), entry: -1, ns: 0n, calls: 0n, count: 0, place, parent, children: new Map(), depth: parent.depth + 1 };
      parent.children.set(key, node);
    }
    node.ns += ns;
    node.calls += calls;
    node.count += 1;
    if (node.count > 1 && node.name !== nameOf(place)) node.name = key;
    if (node.label !== labelOf(place)) node.label = "";
    const entry = places.entry[place];
    if (entry >= 0 && (node.entry < 0 || entry < node.entry)) node.entry = entry;
    nodes.set(place, node);
    if (parent === root) root.ns += ns;
  }
  root.nodes = nodes;
  return root;
}

const isLeaf = (node) => node.children.size === 0;

/** A node's own colour, or that of the node above that has one; none above what the bars show. */
function colorOf(node) {
  for (let at = node; at !== null; at = at.parent) {
    if (at.entry >= 0) return entries[at.entry].color;
  }
  return null;
}

/** From the root down, without it. */
function pathOf(node) {
  const path = [];
  for (let at = node; at.parent !== null; at = at.parent) path.unshift(at);
  return path;
}

function titleOf(node) {
  const ordinal = node.place >= 0 && node.count === 1 ? places.ordinal[node.place] : 1;
  const name = printable(node.name) || "(no name)";
  return ordinal > 1 ? `${name} #${ordinal}` : name;
}

// The data of the page: bars by step, and trees of nodes. All sums are in the data.

const data = page;

const ALL = "all"; // all phases

/** What the bars are made of, the largest first; `others` last. */
const entries = data.entries.map(([name, color]) => ({ name, color }));
if (data.others) entries.push({ name: "others", color: REST });

const steps = data.steps.map(([key, phase, seqs, total, cells, wall], at) => ({
  at,
  key,
  phase,
  seqs: seqs === null ? null : BigInt(seqs),
  total: BigInt(total),
  cells,
  wall: wall === null ? null : BigInt(wall), // to the start of the next step
  tree: null,
}));
for (const [at, shape, ...ns] of data.trees) steps[at].tree = { shape, ns };

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

/** The number of a phase in sums over its steps; all steps come last. */
const phaseNumber = (phase) => (phase === ALL ? data.phases.length : data.phases.indexOf(phase));

/** Places of a merged node, the first of each: an address names places as they are. */
const firstOf = [];
data.merged_of.forEach((merged, place) => (firstOf[merged] ??= place));

/** Whether siblings of one kind can be shown as one. */
const MERGES = data.merges === 1;

/** `[place, ns, calls, count]` of a step's tree, parents before their children. */
function rowsOfStep(step, merge) {
  const { places, calls, counts } = data.forests[merge ? 1 : 0].shapes[step.tree.shape];
  return places.map((place, i) => [place, step.tree.ns[merge ? 1 : 0][i], calls[i], counts[i]]);
}

/** The same of all steps of a phase, or of all. */
function rowsOfPhase(phase, merge) {
  const { places, ns, calls, counts } = data.forests[merge ? 1 : 0].sums[phaseNumber(phase)];
  return places.map((place, i) => [place, ns[i], calls[i], counts[i]]);
}

/** The time of a step, or of all steps of a phase. */
function timeOfPhase(phase) {
  return BigInt(data.phase_ns[phaseNumber(phase)]);
}

/** How many steps a phase has, also without a bar. */
function countOfPhase(phase) {
  return BigInt(data.phase_steps[phaseNumber(phase)]);
}

/** The times of the shortest and of the longest of these steps. */
function rangeOfPhase(phase) {
  return [data.phase_least_ns, data.phase_most_ns].map((times) => BigInt(times[phaseNumber(phase)]));
}

/** The median, the 95th percentile and the largest of the wall times of the steps of a phase; null for all phases together. */
function wallsOfPhase(phase) {
  const walls = phase === ALL ? null : data.phase_walls[phaseNumber(phase)];
  return walls ? walls.map(BigInt) : null;
}

/**
 * The siblings that merged nodes stand for, by place: `[{place, ns}]`, by ascending time. `rows` are those of
 * the tree with siblings apart.
 */
function siblingsOf(rows) {
  const siblings = new Map();
  for (const [place, ns] of rows) {
    const merged = data.merged_of[place];
    if (!siblings.has(merged)) siblings.set(merged, []);
    siblings.get(merged).push({ place, ns: BigInt(ns) });
  }
  for (const all of siblings.values()) all.sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : a.place - b.place));
  return siblings;
}

/** `{least, median, most}` of siblings in ascending order, with the numbers of the first and last; null for one. */
function spreadOf(siblings) {
  if (!siblings || siblings.length < 2) return null;
  const middle = siblings.length >> 1;
  const median = siblings.length % 2 ? siblings[middle].ns : (siblings[middle - 1].ns + siblings[middle].ns) / 2n;
  const least = siblings[0];
  const most = siblings.find(({ ns }) => ns === siblings.at(-1).ns);
  const number = ({ place }) => {
    const text = data.forests[0].number[place];
    return text < 0 ? "" : data.texts[text];
  };
  return { least: least.ns, leastNumber: number(least), median, most: most.ns, mostNumber: number(most) };
}

/**
 * A tree of nodes `{name, label, entry, ns, calls, count, place, ordinal, parent, children, depth}`,
 * below a root of time `ns`. With `merge`, a node stands for `count` siblings that are alike.
 */
function makeTree(rows, merge, ns) {
  const places = data.forests[merge ? 1 : 0];
  const root = { name: "", label: "", entry: -1, ns, calls: 0n, count: 1, place: -1, ordinal: 1, parent: null, children: [], depth: -1 };
  const nodes = new Map();
  for (const [place, time, calls, count] of rows) {
    const parent = nodes.get(places.parent[place]) || root;
    const node = {
      name: data.texts[places.name[place]],
      label: places.label[place] < 0 ? "" : data.texts[places.label[place]],
      entry: places.entry[place],
      ns: BigInt(time),
      calls: BigInt(calls),
      count,
      place,
      ordinal: places.ordinal[place],
      parent,
      children: [],
      depth: parent.depth + 1,
    };
    parent.children.push(node);
    nodes.set(place, node);
  }
  root.nodes = nodes;
  return root;
}

const isLeaf = (node) => node.children.length === 0;

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
  const name = shownName(node.name) || "(no name)";
  return node.ordinal > 1 ? `${name} #${node.ordinal}` : name;
}

/** The pieces of a title, with `beside` after it. */
function titlePieces(node, beside) {
  const pieces = piecesOf(node.name || "(no name)");
  pieces.push(`${pieces.pop()}${node.ordinal > 1 ? ` #${node.ordinal}` : ""}${beside}`);
  return pieces;
}

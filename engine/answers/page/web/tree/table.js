// The nodes below the one that the user chose, as a table: kernels added up by name, modules one by one.

/** `{name, label, ns, calls, node}`; a kernel of several places has no node. */
function collectRows() {
  const rows = [];
  const kernels = new Map();
  const visit = (node) => {
    if (isLeaf(node)) {
      if (state.rows === "modules" || node === tree) return;
      const key = `${node.name}\n${node.label}`;
      const row = kernels.get(key);
      if (row) {
        row.ns += node.ns;
        row.calls += node.calls;
        row.node = null;
        row.places += node.count;
      } else {
        kernels.set(key, { name: node.name, label: node.label, ns: node.ns, calls: node.calls, places: node.count, node, leaf: true, color: colorOf(node) });
      }
      return;
    }
    if (node !== tree && state.rows !== "kernels") {
      rows.push({ name: node.name, label: node.label, ns: node.ns, calls: node.calls, places: node.count, node, leaf: false, color: colorOf(node) });
    }
    node.children.forEach(visit);
  };
  visit(zoomed);
  return [...rows, ...kernels.values()];
}

/** Times of merged siblings: of a node, not of a kernel of several places. */
const SPREADS = [
  ["least", "Least"],
  ["median", "Median"],
  ["most", "Most"],
];

function spreadColumns() {
  if (siblings === null || state.rows === "kernels") return [];
  return SPREADS.map(([name, title]) => ({
    name,
    title: stepCount > 1n ? `${title} per step` : title,
    hint: "of the siblings that the node stands for",
    kind: "time",
    compared: "siblings",
    fine: true,
    of: (row) => {
      const spread = row.node && spreadAt(row.node);
      return spread ? perStep(spread[name]) : null;
    },
  }));
}

function treeColumns() {
  return [
    {
      name: "name",
      title: "Name",
      kind: "name",
      kernel: true,
      of: (row) => row.name || "(no name)",
      swatch: (row) => row.color || "transparent",
      after: (row) => (row.places > 1 ? `×${grouped(row.places)}` : ""),
    },
    { name: "label", title: printable(data.dimension), kind: "text", of: (row) => row.label },
    { name: "calls", title: "Calls", kind: "count", of: (row) => row.calls },
    { name: "ns", title: "Time", kind: "time", of: (row) => row.ns },
    { name: "share", title: "Share", kind: "part", of: (row) => [row.ns, tree.ns] },
    ...(stepCount > 1n ? [{ name: "step", title: "Time per step", kind: "time", fine: true, of: (row) => perStep(row.ns) }] : []),
    { name: "average", title: "Time per call", kind: "time", fine: true, of: (row) => (row.calls > 0n ? row.ns / row.calls : null) },
    ...spreadColumns(),
    { name: "path", title: "Path", kind: "text", saved: true, of: (row) => (row.node ? pathOf(row.node).map((node) => node.name).join(" > ") : "") },
  ];
}

const rowsChoice = element(
  "select",
  { id: "rows", "aria-label": "What the rows are", onchange: (event) => update({ rows: event.target.value }) },
  ...ROWS.map(({ name, title }) => element("option", { value: name }, title)),
);

const treeTable = new DataTable({
  title: "Kernels and modules",
  file: "nodes",
  first: 100,
  rows: [],
  columns: [],
  sort: DEFAULTS.sort,
  searched: ["name", "label"],
  placeholder: "Search names and labels",
  filters: [rowsChoice],
  counted: (rows) => {
    const sum = sumOf(rows.map((row) => row.ns));
    return state.rows === "kernels" ? `${humanTime(sum)} · ${share(sum, tree.ns)}` : "";
  },
  // A kernel that runs in several places has no node to go to.
  press: (row) => (row.node === null ? null : () => zoomTo(row.node)),
  onchange: (changes) => update(changes),
});

const nodesCard = tableCard(treeTable, "", "");
SHOWS.nodes = () => nodesCard;

function drawTable() {
  const kind = ROWS.find(({ name }) => name === state.rows).title;
  const where = zoomed === tree ? treeName() : `${shortened(titleOf(zoomed), 60)} in ${treeName()}`;
  byId("nodes-title").textContent = `${kind} of ${where}`;
  rowsChoice.value = state.rows;
  treeTable.set({ rows: collectRows(), columns: treeColumns(), sort: state.sort, wanted: state.search });
}

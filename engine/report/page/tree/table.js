// What stands below the node zoomed to, as a table: kernels put together by name, modules each.

const FIRST_ROWS = 100;
const MORE_ROWS = 500;
let rowsWanted = FIRST_ROWS;
let tableRows = [];

const TABLE_COLUMNS = [
  { name: "name", title: "Name" },
  { name: "label", title: "" },
  { name: "calls", title: "Calls", number: true },
  { name: "ns", title: "Time", number: true },
  { name: "share", title: "Share", number: true },
  { name: "average", title: "Time per call", number: true },
];

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

function tableSorting() {
  const falling = state.sort.startsWith("-");
  const column = falling ? state.sort.slice(1) : state.sort;
  return TABLE_COLUMNS.some((one) => one.name === column) ? { column, falling } : { column: "ns", falling: true };
}

function rowOrder(column) {
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  if (column === "average") return (a, b) => order(a.ns * (b.calls || 1n), b.ns * (a.calls || 1n));
  const value = column === "share" ? "ns" : column;
  return (a, b) => order(a[value], b[value]);
}

function drawTableHead(unit) {
  const { column: sorted, falling } = tableSorting();
  const focused = byId("table-head").contains(document.activeElement) ? document.activeElement.dataset.column : null;
  const cells = TABLE_COLUMNS.map((column) => {
    const name = column.name === "label" ? printable(data.dimension) : column.title;
    const title = column.name === "ns" ? `${name} (${unit.name})` : name;
    const active = column.name === sorted;
    const button = element(
      "button",
      { type: "button", onclick: () => update({ sort: (active ? !falling : column.number) ? `-${column.name}` : column.name }) },
      title,
      element("span", { className: "arrow", "aria-hidden": "true" }, active ? (falling ? "↓" : "↑") : ""),
    );
    button.dataset.column = column.name;
    return element(
      "th",
      { scope: "col", className: column.number ? "number" : "", "aria-sort": active ? (falling ? "descending" : "ascending") : "none" },
      button,
    );
  });
  byId("table-head").replaceChildren(element("tr", {}, ...cells));
  if (focused) byId("table-head").querySelector(`[data-column="${focused}"]`)?.focus();
}

function tableLine(row, unit) {
  const name = printable(row.name) || "(no name)";
  const goes = row.node !== null;
  return element(
    "tr",
    { className: goes ? "goes" : "", onclick: goes ? () => zoomTo(row.node) : undefined },
    element(
      "td",
      { className: row.leaf ? "name" : "name plain", title: shortened(name, 600) },
      swatch(row.color || "transparent"),
      shortened(name, 300),
      row.places > 1 ? element("span", { className: "beside" }, `×${grouped(row.places)}`) : null,
    ),
    element("td", { className: "name plain", title: shortened(printable(row.label), 200) }, shortened(printable(row.label), 80)),
    element("td", { className: "number" }, grouped(row.calls)),
    timeCell(row.ns, unit),
    element("td", { className: "number" }, share(row.ns, tree.ns)),
    element("td", { className: "number" }, row.calls > 0n ? humanTime(row.ns / row.calls) : ""),
  );
}

function drawTable() {
  const rows = collectRows();
  const search = state.search.toLowerCase();
  tableRows = rows.filter((row) => row.name.toLowerCase().includes(search) || row.label.toLowerCase().includes(search));
  const { column, falling } = tableSorting();
  const compare = rowOrder(column);
  tableRows.sort((a, b) => (falling ? -compare(a, b) : compare(a, b)));
  const unit = columnUnit(tableRows.reduce((most, row) => (row.ns > most ? row.ns : most), 0n));
  drawTableHead(unit);
  const kind = ROWS.find(({ name }) => name === state.rows).title;
  const where = zoomed === tree ? treeName() : `${shortened(titleOf(zoomed), 60)} in ${treeName()}`;
  byId("table-title").textContent = `${kind} of ${where}`;
  const sum = tableRows.reduce((all, row) => all + row.ns, 0n);
  const count = tableRows.length === rows.length ? grouped(rows.length) : `${grouped(tableRows.length)} of ${grouped(rows.length)}`;
  byId("table-count").textContent = state.rows === "kernels" ? `${count} · ${humanTime(sum)} · ${share(sum, tree.ns)}` : count;
  const lines = tableRows.slice(0, rowsWanted).map((row) => tableLine(row, unit));
  if (lines.length === 0) lines.push(element("tr", {}, element("td", { colSpan: TABLE_COLUMNS.length, className: "nothing" }, "No name matches.")));
  byId("table-body").replaceChildren(...lines);
  const more = byId("table-more");
  more.hidden = tableRows.length <= rowsWanted;
  more.textContent = `${grouped(tableRows.length - rowsWanted)} more`;
  byId("rows").value = state.rows;
  if (byId("search").value !== state.search) byId("search").value = state.search;
}

function tableCsv() {
  const path = (row) => (row.node ? pathOf(row.node).map((node) => node.name).join(" > ") : "");
  return [
    ["Name", data.dimension, "Calls", "Time (ns)", "Share (%)", "Path"],
    ...tableRows.map((row) => [row.name, row.label, row.calls, row.ns, tree.ns === 0n ? "" : decimal(row.ns * 100n, tree.ns, 6), path(row)]),
  ];
}

function setUpTable() {
  byId("rows").replaceChildren(...ROWS.map(({ name, title }) => element("option", { value: name }, title)));
  byId("rows").onchange = (event) => update({ rows: event.target.value });
  let waiting = 0;
  byId("search").oninput = (event) => {
    const search = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => update({ search }), 120);
  };
  byId("table-more").onclick = () => {
    rowsWanted += MORE_ROWS;
    drawTable();
  };
  byId("table-copy").onclick = (event) => copy(event.currentTarget, csvText(tableCsv(), "\t"));
  byId("table-save").onclick = () => save("tree.csv", csvText(tableCsv()), "text/csv");
}

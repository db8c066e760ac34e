// Tables that can be sorted, searched, copied and saved, with any rows.
//
// A column: `{name, title, kind, of}`, where `of(row)` is the value and `kind` one of
//   name, text: a text, cut to the width of the cell; a click shows all of it
//   count, number: a whole number, one with decimals
//   time: whole ns; mean: ns with a fraction; share: from 0 to 1; times: a factor
//   bar: an element, which is neither sorted nor copied
// Null and undefined are empty cells.

const FIRST_ROWS = 25;
const MORE_ROWS = 250;
const LONGEST_CELL = 4000;

const isNumber = (column) => !["name", "text", "bar"].includes(column.kind);

function cellText(value, column, unit) {
  if (value === null || value === undefined) return "–";
  switch (column.kind) {
    case "count":
      return grouped(value);
    case "number":
      return Number(value).toFixed(2);
    case "time":
      return exactParts(BigInt(value), unit).join("");
    case "mean":
      return withCommas((Number(value) / Number(unit.ns)).toFixed(Math.min(unit.digits, 3)));
    case "share":
      return `${(Number(value) * 100).toFixed(2)} %`;
    case "times":
      return `${Number(value).toFixed(3)} ×`;
    default:
      return printable(String(value));
  }
}

function withCommas(text) {
  const [whole, rest] = text.split(".");
  return rest === undefined ? grouped(whole) : `${grouped(whole)}.${rest}`;
}

class DataTable {
  /** `search`: the columns that the search field searches; without them there is no field. */
  constructor({ title, columns, rows, sort = "", search = [], file, first = FIRST_ROWS }) {
    this.title = title;
    this.columns = columns;
    this.rows = rows;
    this.sort = sort;
    this.searched = search;
    this.file = file;
    this.first = first;
    this.shown = first;
    this.wanted = "";
    this.head = element("thead");
    this.body = element("tbody");
    this.count = element("span", { className: "faint", role: "status" });
    this.more = element("button", { type: "button", className: "quiet more", hidden: true });
    this.more.onclick = () => {
      this.shown += MORE_ROWS;
      this.drawRows();
    };
    this.box = element(
      "div",
      {},
      element(
        "div",
        { className: "scroll", tabIndex: 0, role: "region", "aria-label": title },
        element("table", { className: "data-table" }, this.head, this.body),
      ),
      this.more,
    );
  }

  /** The search field and buttons beside the heading of the table. */
  tools() {
    const tools = element("div", { className: "actions" });
    if (this.searched.length > 0) {
      let waiting = 0;
      const field = element("input", {
        type: "search",
        placeholder: "Search",
        "aria-label": `Search ${this.title}`,
        spellcheck: false,
        oninput: (event) => {
          clearTimeout(waiting);
          waiting = setTimeout(() => {
            this.wanted = event.target.value.toLowerCase();
            this.shown = this.first;
            this.drawRows();
          }, 120);
        },
      });
      tools.append(field);
    }
    const button = (text, title, onclick) =>
      element("button", { type: "button", className: "quiet", title, onclick }, text);
    tools.append(
      button("Copy", "Copy the rows for a spreadsheet", (event) => copy(event.currentTarget, csvText(this.cells(), "\t"))),
      button("CSV", "", () => save(`${this.file}.csv`, csvText(this.cells()), "text/csv")),
    );
    return tools;
  }

  sorting() {
    const falling = this.sort.startsWith("-");
    return { column: falling ? this.sort.slice(1) : this.sort, falling };
  }

  found() {
    let rows = this.rows;
    if (this.wanted !== "") {
      const columns = this.columns.filter((column) => this.searched.includes(column.name));
      rows = rows.filter((row) =>
        columns.some((column) => printable(String(column.of(row) ?? "")).toLowerCase().includes(this.wanted)),
      );
    }
    const { column: name, falling } = this.sorting();
    const column = this.columns.find((one) => one.name === name);
    if (column === undefined) return rows;
    const value = (row) => {
      const of = column.of(row);
      if (!isNumber(column)) return String(of ?? "");
      // Empty cells come last in both orders.
      if (of === null || of === undefined) return falling ? -Infinity : Infinity;
      return column.kind === "time" || column.kind === "count" ? BigInt(of) : Number(of);
    };
    const keys = new Map(rows.map((row) => [row, value(row)]));
    return [...rows].sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      const order = x < y ? -1 : x > y ? 1 : 0;
      return falling ? -order : order;
    });
  }

  /** The rows that match the search, for a spreadsheet; times in ns. */
  cells() {
    const columns = this.columns.filter((column) => column.kind !== "bar");
    const title = (column) =>
      ["time", "mean"].includes(column.kind) ? `${column.group ? `${column.group} ` : ""}${column.title} (ns)` : `${column.group ? `${column.group} ` : ""}${column.title}`;
    const cell = (column, row) => {
      const value = column.of(row);
      if (value === null || value === undefined) return "";
      return isNumber(column) ? Number.isSafeInteger(value) || typeof value === "number" ? value : BigInt(value) : printable(String(value));
    };
    return [columns.map(title), ...this.found().map((row) => columns.map((column) => cell(column, row)))];
  }

  draw() {
    this.units = new Map(
      this.columns
        .filter((column) => ["time", "mean"].includes(column.kind))
        .map((column) => {
          const values = this.rows.map(column.of).filter((value) => value !== null && value !== undefined);
          const whole = values.map((value) => (column.kind === "mean" ? Math.round(Number(value)) : value));
          return [column.name, unitOf(largestOf(whole))];
        }),
    );
    this.drawHead();
    this.drawRows();
  }

  drawHead() {
    const { column: sorted, falling } = this.sorting();
    const focused = this.head.contains(document.activeElement) ? document.activeElement.dataset.column : null;
    const cells = this.columns.map((column) => {
      const unit = this.units.get(column.name);
      const title = unit ? `${column.title} (${unit.name})` : column.title;
      const className = isNumber(column) ? "number" : column.kind === "bar" ? "bar-cell" : "";
      if (column.kind === "bar") {
        return element("th", { scope: "col", className, style: { padding: "7px 12px" } }, title);
      }
      const active = column.name === sorted;
      const next = active ? !falling : isNumber(column);
      const button = element(
        "button",
        {
          type: "button",
          title: column.hint || "",
          onclick: () => {
            this.sort = (next ? "-" : "") + column.name;
            this.drawHead();
            this.drawRows();
          },
        },
        title,
        element("span", { className: "arrow", "aria-hidden": "true" }, active ? (falling ? "↓" : "↑") : ""),
      );
      button.dataset.column = column.name;
      return element(
        "th",
        { scope: "col", className, "aria-sort": active ? (falling ? "descending" : "ascending") : "none" },
        button,
      );
    });
    const lines = [element("tr", {}, ...cells)];
    if (this.columns.some((column) => column.group)) lines.unshift(this.groupRow());
    this.head.replaceChildren(...lines);
    if (focused) this.head.querySelector(`[data-column="${focused}"]`)?.focus();
  }

  groupRow() {
    const cells = [];
    for (const column of this.columns) {
      const group = column.group || "";
      const last = cells[cells.length - 1];
      if (last && group !== "" && last.textContent === group) ++last.colSpan;
      else cells.push(element("th", { scope: "colgroup", colSpan: 1 }, group));
    }
    return element("tr", { className: "group" }, ...cells);
  }

  cell(column, row) {
    const value = column.of(row);
    if (column.kind === "bar") return element("td", { className: "bar-cell" }, value);
    const unit = this.units.get(column.name);
    if (!isNumber(column)) {
      const text = cellText(value, column);
      const button = element(
        "button",
        {
          type: "button",
          className: "link",
          title: shortened(text, 600),
          "aria-expanded": "false",
          onclick: (event) => {
            const now = event.currentTarget;
            now.setAttribute("aria-expanded", String(now.getAttribute("aria-expanded") !== "true"));
          },
        },
        shortened(text, LONGEST_CELL),
      );
      if (column.color) button.prepend(swatch(column.color(row)));
      return element("td", { className: column.kind === "name" ? "name-cell" : "text-cell" }, button);
    }
    if (column.kind === "time" && value !== null && value !== undefined) {
      return timeCell(BigInt(value), unit);
    }
    const cell = element("td", { className: "number" }, element("span", {}, cellText(value, column, unit)));
    if (column.kind === "mean" && value !== null && value !== undefined) {
      cell.title = `${Number(value).toFixed(1)} ns`;
    }
    if (column.heat && value !== null && value !== undefined) warm(cell, Number(value));
    return cell;
  }

  drawRows() {
    const rows = this.found();
    const lines = rows.slice(0, this.shown).map((row) =>
      element("tr", {}, ...this.columns.map((column) => this.cell(column, row))),
    );
    if (lines.length === 0) {
      lines.push(
        element("tr", {}, element("td", { className: "nothing", colSpan: this.columns.length }, "No row matches.")),
      );
    }
    this.body.replaceChildren(...lines);
    const left = rows.length - this.shown;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${grouped(Math.min(left, MORE_ROWS))} more of ${grouped(rows.length)}`;
    const found = rows.length === this.rows.length ? grouped(rows.length) : `${grouped(rows.length)} of ${grouped(this.rows.length)}`;
    this.count.textContent = `${found} row${rows.length === 1 ? "" : "s"}`;
  }
}

/** A bar behind a number, `part` of the cell wide. */
function warm(cell, part) {
  cell.classList.add("heat");
  cell.style.setProperty("--part", String(Math.max(0, Math.min(1, part))));
}

// Elements without markup: text of a trace is set as text, never parsed.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name === "style") Object.assign(made.style, value);
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

function drawn(tag, properties = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== false) made.setAttribute(name, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

/**
 * Control characters, marks that turn the direction of writing, and bytes that are not UTF-8 (which
 * the data holds as lone surrogates U+DC80 to U+DCFF) as `\xNN`.
 */
function printable(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (mark) => {
      const code = mark.charCodeAt(0);
      if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
      return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
    },
  );
}

/** Parses JSON; whole numbers that a double cannot represent become texts. BigInt reads both. */
function parseExact(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text); // the replacement below takes time
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    text.replace(token, (found) =>
      /^-?\d{16,}$/.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found,
    ),
  );
}

/** At most `length` characters, the rest an ellipsis. */
function shortened(text, length) {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** A name in pieces, each cut at its end if the column is too narrow: parts after the first stay visible. */
function namePieces(pieces, className, ...around) {
  const least = (text, at) => `${0.8 * Math.min(text.length, at === 0 ? 16 : 8)}ch`;
  const piece = (text, at) => element("span", { className: at === 0 ? "piece first" : "piece", style: { minWidth: least(text, at) } }, shortened(text, 400));
  return element("span", { className: `pieces ${className}` }, ...around, ...pieces.map(piece));
}

/** A number up to its decimal point, and the rest. */
function numberParts(text) {
  const at = text.indexOf(".");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

/**
 * `fraction`: the longest of the column; its digits pad the others, so that decimal points are aligned in
 * any typeface. `title`: the exact number.
 */
function numberCell(text, fraction = "", title = undefined) {
  const [whole, rest] = numberParts(text);
  const behind = element("span", { className: "fraction" }, rest);
  behind.dataset.pad = fraction.slice(rest.length);
  return element("td", { className: "number", title }, element("span", { className: "value" }, whole, fraction === "" ? rest : behind));
}

function swatch(color, className = "swatch") {
  return element("span", { className, style: { backgroundColor: color }, "aria-hidden": "true" });
}

/** Rows of cells as CSV (RFC 4180), formulas of spreadsheets escaped. */
function csvText(rows, separator = ",") {
  const cell = (value) => {
    let text = String(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(separator) + "\n").join("");
}

function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function copy(button, text) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not every browser lets a page opened from a file use the clipboard.
    const area = element("textarea", { value: text, className: "offscreen" });
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.dataset.text || button.textContent;
  button.dataset.text = before;
  button.textContent = done ? "Copied" : "Not allowed";
  setTimeout(() => (button.textContent = before), 1200);
}

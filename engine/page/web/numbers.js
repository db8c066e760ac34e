"use strict";
// Numbers as text. Times are BigInt nanoseconds; nothing that is shown passes through a float.

const UNITS = [
  { name: "s", ns: 1000000000n, digits: 9 },
  { name: "ms", ns: 1000000n, digits: 6 },
  { name: "µs", ns: 1000n, digits: 3 },
  { name: "ns", ns: 1n, digits: 0 },
];

/** The largest unit in which `ns` is at least one. */
function unitFor(ns) {
  return UNITS.find((unit) => ns >= unit.ns) || UNITS[3];
}

/** The unit of a column: the largest in which its largest number has two digits or more. */
function columnUnit(ns) {
  return unitFor(ns / 10n);
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `ns` in the unit, to the last nanosecond: `1,234.567` and `890`, which is shown fainter. */
function exactParts(ns, unit) {
  const size = ns < 0n ? -ns : ns;
  const sign = ns < 0n ? "−" : "";
  const whole = sign + grouped(size / unit.ns);
  if (unit.digits === 0) return [whole, ""];
  const rest = String(size % unit.ns).padStart(unit.digits, "0");
  return [`${whole}.${rest.slice(0, 3)}`, rest.slice(3)];
}

function exactTime(ns, unit = unitFor(ns)) {
  return `${exactParts(ns, unit).join("")} ${unit.name}`;
}

/** number / one with `decimals` digits, rounded half up. */
function decimal(number, one, decimals) {
  const scale = 10n ** BigInt(decimals);
  const scaled = (number * scale * 2n + one) / (one * 2n);
  const whole = String(scaled / scale);
  return decimals === 0 ? whole : `${whole}.${String(scaled % scale).padStart(decimals, "0")}`;
}

/** Four significant digits and the unit by size, as on the terminal. */
function humanTime(ns) {
  if (ns < 0n) return `-${humanTime(-ns)}`;
  if (ns < 1000n) return `${ns} ns`;
  for (const unit of [UNITS[2], UNITS[1], UNITS[0]]) {
    for (const decimals of [3, 2, 1]) {
      const text = decimal(ns, unit.ns, decimals);
      if (text.length <= 5) return `${text} ${unit.name}`;
    }
  }
  return `${decimal(ns, UNITS[0].ns, 0)} s`;
}

/** `12.34 %`; a dash where there is nothing to be a part of. */
function share(part, whole, decimals = 2) {
  return whole === 0n ? "–" : `${decimal(part * 100n, whole, decimals)} %`;
}

/** A share from 0 to 1 as `12.3 %`. */
const percentText = (part, decimals) => (part === null ? "–" : `${(part * 100).toFixed(decimals)} %`);

/** A decimal with thousands apart: `1,234.568`. */
function withCommas(text) {
  const [whole, rest] = text.split(".");
  return rest === undefined ? grouped(whole) : `${grouped(whole)}.${rest}`;
}

/** `ns` in the unit with at most three decimals, rounded half up. */
const roundedTime = (ns, unit) => withCommas(decimal(ns, unit.ns, Math.min(unit.digits, 3)));

/** For lengths of bars only. */
function ratio(part, whole) {
  return whole === 0n ? 0 : Number((part * 1000000n) / whole) / 1000000;
}

const sumOf = (values) => values.reduce((sum, value) => sum + BigInt(value), 0n);
const largestOf = (values) => values.reduce((most, value) => (BigInt(value) > most ? BigInt(value) : most), 0n);

"use strict";
// Numbers as text, by the rule of engine/text/numbers.hpp: three significant digits (1.23, 12.3,
// 0.0123); whole digits are never rounded away (12,346); what is not 0 never looks like 0: it has as
// many decimals as it needs (0.0000120).
// Exact numbers are tooltips, and in files. Times are BigInt nanoseconds.

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

/** `ns` in the unit, to the last nanosecond: `1,234.567890 ms`. */
function exactTime(ns, unit = unitFor(ns)) {
  const size = ns < 0n ? -ns : ns;
  const rest = unit.digits === 0 ? "" : `.${String(size % unit.ns).padStart(unit.digits, "0")}`;
  return `${ns < 0n ? "−" : ""}${grouped(size / unit.ns)}${rest} ${unit.name}`;
}

/** number / one with `decimals` digits, rounded half up. */
function decimal(number, one, decimals) {
  const scale = 10n ** BigInt(decimals);
  const scaled = (number * scale * 2n + one) / (one * 2n);
  const whole = String(scaled / scale);
  return decimals === 0 ? whole : `${whole}.${String(scaled % scale).padStart(decimals, "0")}`;
}

const significant = (text) => text.replace(/[^0-9]/g, "").replace(/^0+/, "").length;

const MOST_DECIMALS = 15;

/** The size of a number that is not 0, of which `textWith(decimals)` is the text with so many decimals. */
function threeDigits(textWith, most = MOST_DECIMALS) {
  for (let decimals = 1; decimals <= most; ++decimals) {
    const text = textWith(decimals);
    const digits = significant(text);
    if (digits > 3) break;
    if (digits < 3 && decimals < most) continue;
    // 0.0996 rounds to 0.100, too.
    const next = decimals < most ? textWith(decimals + 1) : "";
    return significant(next) === 3 ? next : text;
  }
  return grouped(textWith(0));
}

/** The same of a percentage, which may be 0; `belowAll`: it is less than 100. */
function percentage(textWith, isZero, belowAll) {
  let looksZero = false;
  for (let decimals = 1; decimals <= MOST_DECIMALS; ++decimals) {
    const text = textWith(decimals);
    looksZero = !isZero && significant(text) === 0;
    if (!looksZero && !(belowAll && text.startsWith("100."))) return withCommas(text);
  }
  return looksZero ? "<0.001" : ">99.999";
}

/** A decimal with thousands apart: `1,234.568`. */
function withCommas(text) {
  const [whole, rest] = text.split(".");
  return rest === undefined ? grouped(whole) : `${grouped(whole)}.${rest}`;
}

/** `ns` in the unit: `12.3`. */
function roundedTime(ns, unit) {
  if (ns === 0n) return "0";
  if (ns < 0n) return `−${roundedTime(-ns, unit)}`;
  return threeDigits((decimals) => decimal(ns, unit.ns, decimals), unit.digits);
}

/** In the unit by size: `12.3 ms`. */
function humanTime(ns) {
  const unit = UNITS.findLast((one) => !roundedTime(ns, one).includes(",")) || UNITS[0];
  return `${roundedTime(ns, unit)} ${unit.name}`;
}

/** A size with so many decimals, rounded half up as the program does. */
function rounded(size, decimals) {
  if (size >= 1e15) return BigInt(Math.round(size)) + (decimals > 0 ? `.${"0".repeat(decimals)}` : "");
  const one = 10 ** decimals;
  return (Math.round(size * one) / one).toFixed(decimals);
}

/** A number that is not a time. */
function shortNumber(number) {
  if (number === 0) return "0";
  if (Math.abs(number) < 1e-15) return number.toPrecision(3);
  return (number < 0 ? "−" : "") + threeDigits((decimals) => rounded(Math.abs(number), decimals));
}

/** With a prefix of 1000 and its powers, for rates: `989 TFLOP/s`; without a unit `989 T`. */
function inSi(number, unit = "") {
  let [text, size, prefix] = [shortNumber(number), number, 0];
  while (text.includes(",") && prefix < 6) {
    ++prefix;
    size /= 1000;
    text = shortNumber(size);
  }
  return `${text} ${prefix > 0 ? "kMGTPE"[prefix - 1] : ""}${unit}`.trim();
}

/** A part of a whole in percent, without the sign: one decimal, and more if it would look like 0 or all. */
function percentOf(part, whole) {
  return percentage((decimals) => decimal(part * 100n, whole, decimals), part === 0n, part < whole);
}

/** A number of percent in the same way. */
function shortPercent(percent) {
  const size = Math.abs(percent);
  return (percent < 0 ? "−" : "") + percentage((decimals) => rounded(size, decimals), size === 0, size < 100);
}

/** `12.3 %`; a dash where there is nothing to be a part of. */
const share = (part, whole) => (whole === 0n ? "–" : `${percentOf(part, whole)} %`);

/** A share from 0 to 1 as `12.3 %`. */
const percentText = (part) => (part === null ? "–" : `${shortPercent(part * 100)} %`);

/** For lengths of bars only. */
function ratio(part, whole) {
  return whole === 0n ? 0 : Number((part * 1000000n) / whole) / 1000000;
}

const sumOf = (values) => values.reduce((sum, value) => sum + BigInt(value), 0n);
const largestOf = (values) => values.reduce((most, value) => (BigInt(value) > most ? BigInt(value) : most), 0n);

/** Numbers of 7 bits per byte, the lowest first, in base64. */
class PackedNumbers {
  constructor(text) {
    this.bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    this.at = 0;
  }
  more() {
    return this.at < this.bytes.length;
  }
  next() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}

// Logarithmic axes, by the rules of engine/answers/picture/log_axis.hpp.

const LOG_STEPS = [1, 2, 5, 10];
const decadeOf = (value) => Math.floor(Math.log10(value) + 1e-9);

/** 1, 2 or 5 times a power of ten, at most the value, or at least. */
function roundBound(value, up) {
  const power = 10 ** decadeOf(value);
  const fits = LOG_STEPS.filter((step) => (up ? step * power >= value * (1 - 1e-9) : step * power <= value * (1 + 1e-9)));
  return (up ? fits[0] : fits.at(-1)) * power;
}

/** Bounds of an axis that shows all values, at least a decade; `place(value)` is from 0 to `length`. */
function logScale(values, length) {
  let low = roundBound(Math.min(...values) / 1.4, false);
  let high = roundBound(Math.max(...values) * 1.4, true);
  while (high < low * 9.999) [low, high] = [roundBound(low * 0.49, false), roundBound(high * 2.01, true)];
  return { low, high, length, place: (value) => (Math.log(value / low) / Math.log(high / low)) * length };
}

/** `{value, labelled, decade}`: powers of ten, and 2 to 9 times these where there is room; labels at least `room` apart. */
function logTicks({ low, high, length }, room) {
  const decade = length / Math.log10(high / low);
  const minor = decade >= 44;
  const labelMinor = decade * Math.log10(2) >= room;
  const stride = Math.max(1, Math.ceil(room / decade));
  const ticks = [];
  for (let exponent = decadeOf(low); exponent <= decadeOf(high); ++exponent) {
    for (let step = 1; step <= (minor ? 9 : 1); ++step) {
      const value = Number(`${step}e${exponent}`);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const labelled = step === 1 ? exponent % stride === 0 : labelMinor && (step === 2 || step === 5);
      ticks.push({ value, labelled, decade: step === 1 });
    }
  }
  return ticks;
}

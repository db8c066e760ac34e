// How far apart colours are for eyes of four kinds, independently of what the pages compute: CIEDE2000 after a
// simulation by Viénot, Brettel and Mollon (1999; tritanopia: Machado, Oliveira and Fernandes, 2009).

const LEAST = 6; // CIEDE2000; 2 is what an eye can just see side by side

const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const apply = (matrix, vector) => matrix.map((row) => row.reduce((sum, value, at) => sum + value * vector[at], 0));
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deuteranopia: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** `#rrggbb` or `rgb(…)` as linear light. */
function lightOf(color) {
  const bytes = color.startsWith("#") ? [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) : color.match(/[\d.]+/g).slice(0, 3).map(Number);
  return bytes.map((byte) => linear(byte / 255));
}

function lab(light) {
  const [x, y, z] = apply([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], light.map((value) => Math.min(Math.max(value, 0), 1)));
  const curve = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const [fx, fy, fz] = [x / 0.95047, y, z / 1.08883].map(curve);
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

export function ciede2000([l1, a1, b1], [l2, a2, b2]) {
  const radians = (degrees) => (degrees * Math.PI) / 180;
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const stretch = 1 + 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [c1, c2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)];
  const hue = (a, b) => (a === 0 && b === 0 ? 0 : ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360);
  const [h1, h2] = [hue(a1 * stretch, b1), hue(a2 * stretch, b2)];
  let turn = c1 * c2 === 0 ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  const middle = c1 * c2 === 0 ? h1 + h2 : h1 + turn / 2;
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const weight = 1 - 0.17 * Math.cos(radians(middle - 30)) + 0.24 * Math.cos(radians(2 * middle)) + 0.32 * Math.cos(radians(3 * middle + 6)) - 0.2 * Math.cos(radians(4 * middle - 63));
  const byLightness = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const byChroma = (c2 - c1) / (1 + 0.045 * c);
  const byHue = (2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2))) / (1 + 0.015 * c * weight);
  const rotation = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(radians(60 * Math.exp(-(((middle - 275) / 25) ** 2))));
  return Math.sqrt(byLightness ** 2 + byChroma ** 2 + byHue ** 2 + rotation * byChroma * byHue);
}

/** Neighbours `{color, hatched}` that some eyes cannot tell apart: nearer than LEAST, and both hatched or neither. */
export function nearestNeighbours(parts) {
  const near = [];
  for (let at = 1; at < parts.length; ++at) {
    const [one, other] = [parts[at - 1], parts[at]];
    if (one.hatched !== other.hatched) continue;
    for (const [eyes, matrix] of Object.entries(EYES)) {
      const distance = ciede2000(...[one, other].map(({ color }) => lab(apply(matrix, lightOf(color)))));
      if (distance < LEAST) near.push(`${one.color} and ${other.color}: ${distance.toFixed(1)} (${eyes})`);
    }
  }
  return near;
}

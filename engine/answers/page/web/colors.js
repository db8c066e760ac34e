// Colours as eyes see them, also those that lack a kind of cone.

/** `#rrggbb` as linear light. */
const linearLight = (color) =>
  [1, 3, 5].map((at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });

/** Relative luminance, from 0 to 1 (WCAG). */
function luminance(color) {
  const [red, green, blue] = linearLight(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** How protanopia, deuteranopia and tritanopia change linear light: Machado, Oliveira and Fernandes, 2009. */
const VISIONS = [
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
];

const multiplied = (matrix, vector) => matrix.map((row) => row.reduce((sum, value, at) => sum + value * vector[at], 0));

/** Linear light in Oklab (Ottosson 2020). */
function oklab(light) {
  const cones = multiplied([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], light);
  return multiplied([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], cones.map((cone) => Math.cbrt(Math.max(cone, 0))));
}

const ALIKE = 0.08; // in Oklab: neighbours of a bar that are nearer are hard to tell apart

/** Whether some eyes find it hard to tell two colours `#rrggbb` apart. */
function areAlike(one, other) {
  return VISIONS.some((vision) => {
    const [a, b] = [one, other].map((color) => oklab(multiplied(vision, linearLight(color))));
    return Math.hypot(...a.map((value, at) => value - b[at])) < ALIKE;
  });
}

/** Which parts of a bar are hatched: of neighbours that look alike, one is. */
function hatchesOf(colors) {
  const hatched = [];
  colors.forEach((color, at) => hatched.push(at > 0 && !hatched[at - 1] && areAlike(color, colors[at - 1])));
  return hatched;
}

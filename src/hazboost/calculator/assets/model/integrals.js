// Integrals by adaptive Chebyshev interpolation, and the inverse of an increasing function.

const POINTS = 15, MAX_HALVINGS = 24, PATIENCE = 4, MAX_PANELS = 128;
const NODES = Array.from({ length: POINTS }, (_, i) => -Math.cos((Math.PI * i) / (POINTS - 1)));
// From values at the nodes to coefficients of Chebyshev polynomials.
const TO_COEFFICIENTS = Array.from({ length: POINTS }, (_, degree) =>
  NODES.map((_, i) => {
    const ends = (i === 0 || i === POINTS - 1 ? 0.5 : 1) * (degree === 0 || degree === POINTS - 1 ? 0.5 : 1);
    return ((2 * ends) / (POINTS - 1)) * Math.cos(degree * Math.PI * (1 - i / (POINTS - 1)));
  }));
// From values at the nodes to derivatives at the nodes.
const TO_SLOPE = NODES.map((x, i) => {
  const weight = (j) => (j % 2 ? -1 : 1) * (j === 0 || j === POINTS - 1 ? 0.5 : 1);
  const row = NODES.map((y, j) => (i === j ? 0 : weight(j) / weight(i) / (x - y)));
  row[i] = -row.reduce((sum, one) => sum + one, 0);
  return row;
});

function product(matrix, values) {
  const result = new Float64Array(matrix.length);
  for (let i = 0; i < matrix.length; i++) {
    const row = matrix[i];
    for (let j = 0; j < row.length; j++) result[i] += row[j] * values[j];
  }
  return result;
}

// Coefficients of the antiderivative that is zero at -1.
function antiderivative(coefficients) {
  const at = (degree) => (degree < coefficients.length ? coefficients[degree] : 0);
  const integral = [0];
  for (let degree = 1; degree <= coefficients.length; degree++) {
    integral.push(((degree === 1 ? 2 : 1) * at(degree - 1) - at(degree + 1)) / (2 * degree));
  }
  integral[0] = -integral.reduce((sum, one, degree) => sum + (degree % 2 ? -one : one), 0);
  return integral;
}

function clenshaw(coefficients, x) {
  let one = 0, two = 0;
  for (let degree = coefficients.length - 1; degree > 0; degree--) {
    const next = coefficients[degree] + 2 * x * one - two;
    two = one;
    one = next;
  }
  return coefficients[0] + x * one - two;
}

// Integrals of f dg_i from the first edge to each of the upper limits: an array of them for each g_i. `functions(x)` is
// { f, g: [g_1, g_2, ...] }. A panel is halved until its interpolation is as accurate as `tolerance`.
function integrate(functions, edges, limits, tolerance) {
  const done = [];
  let panels = [];
  for (let i = 1; i < edges.length; i++) {
    if (edges[i] > edges[i - 1]) panels.push({ left: edges[i - 1], right: edges[i], before: Array(PATIENCE).fill(Infinity) });
  }
  for (let halving = 0; panels.length && halving <= MAX_HALVINGS; halving++) {
    const open = [];
    for (const panel of panels) {
      const { left, right } = panel;
      const seen = NODES.map((node) => functions(0.5 * (left + right + (right - left) * node)));
      panel.coefficients = seen[0].g.map((_, i) => {
        const slope = product(TO_SLOPE, seen.map(({ g }) => g[i]));
        for (let node = 0; node < POINTS; node++) slope[node] *= seen[node].f;
        return product(TO_COEFFICIENTS, slope);
      });
      panel.miss = Math.max(...panel.coefficients.map((one) => Math.abs(one[POINTS - 1]) + Math.abs(one[POINTS - 2]) + Math.abs(one[POINTS - 3])));
      // After several halvings the error must be smaller, or is due to rounding.
      const good = panel.miss <= tolerance || halving === MAX_HALVINGS || panel.miss > 0.7 * panel.before[0];
      (good ? done : open).push(panel);
    }
    if (open.length > MAX_PANELS) {
      done.push(...open);
      break;
    }
    panels = open.flatMap(({ left, right, before, miss }) => {
      const middle = 0.5 * (left + right), errors = [...before.slice(1), miss];
      return [{ left, right: middle, before: errors }, { left: middle, right, before: errors }];
    });
  }
  done.sort((one, other) => one.left - other.left);
  for (const panel of done) {
    panel.integrals = panel.coefficients.map(antiderivative);
    panel.whole = panel.integrals.map((one) => clenshaw(one, 1));
  }
  const count = functions(edges[0]).g.length;
  return Array.from({ length: count }, (_, i) => limits.map((limit) => {
    let total = 0;
    for (const { left, right, integrals, whole } of done) {
      if (limit <= left) break;
      total += limit >= right ? whole[i] : clenshaw(integrals[i], (2 * limit - left - right) / (right - left));
    }
    return total;
  }));
}

// The point in a range at which an increasing function reaches a level; the upper end where it does not. The range is
// narrowed by bisection and, where this is faster, interpolation (the Illinois algorithm).
function invert(increasing, level, low, high, tolerance) {
  const value = (x) => increasing(x) - level;
  let x = 0, atX = value(x), step = clip(1.5 * Math.abs(atX), 0.1, 8);
  const down = atX >= 0;
  let other = x, atOther = atX;
  while (atX >= 0 === down) {
    if (x === (down ? low : high)) return x;
    [other, atOther] = [x, atX];
    x = clip(x + (down ? -step : step), low, high);
    atX = value(x);
    step *= 4;
  }
  // The level is passed between the two ends: it is not reached at `a`, and reached at `b`.
  let [a, b, atA, atB] = down ? [x, other, atX, atOther] : [other, x, atOther, atX];
  for (let i = 0; i < 200 && b - a > 2 * (tolerance + 4.5e-16 * Math.abs(b)); i++) {
    const width = b - a, share = atA / (atA - atB);
    const usable = i % 3 !== 2 && Number.isFinite(share);
    const margin = Math.min(0.5, (tolerance + 4.5e-16 * Math.abs(b)) / width);
    const middle = a + width * (usable ? clip(share, margin, 1 - margin) : 0.5);
    const found = value(middle);
    if (found >= 0) {
      [b, atB] = [middle, found];
      atA *= 0.5;
    } else {
      [a, atA] = [middle, found];
      atB *= 0.5;
    }
  }
  return b;
}

// Weights of both signs: the hazard is clipped at zero, and H is a sum of closed forms between its zeros.

const spaced = (low, high, count, end = true) =>
  Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (end ? count - 1 : count));
const logSpaced = (low, high, count) => spaced(Math.log(low), Math.log(high), count, false);

// Log-times between which changes of sign are searched, those of hazards/clipping.py.
const LOG_GRID = [
  ...spaced(-690, Math.log(1e-9), 12, false),
  ...logSpaced(1e-9, 0.02, 16),
  ...logSpaced(0.02, 50, 80),
  ...logSpaced(50, 1e6, 14),
  ...spaced(Math.log(1e6), 690, 12),
];
const BISECTIONS = 40;
// Log-times at which H is always computed, so that rounding errors of large terms cannot make survival rise.
const REFERENCES = [
  ...spaced(Math.log(512), 0, 10).map((x) => -Math.exp(x)),
  ...spaced(-0.5, 3, 8),
  ...spaced(Math.log(4), Math.log(512), 8).map(Math.exp),
];

// Whether sum_j w_j h_j(t) is positive, computed so that nothing overflows.
function isPositive(heads, logT) {
  const logs = heads.map(({ head, weight }) => head.logHazard(logT) + Math.log(Math.abs(weight)));
  const largest = Math.max(...logs);
  if (!Number.isFinite(largest)) return false;
  return heads.reduce((sum, { weight }, i) => sum + Math.sign(weight) * Math.exp(logs[i] - largest), 0) > 0;
}

function findZeros(heads) {
  const zeros = [];
  if (!heads.some((one) => one.weight < 0)) return { zeros, openAtStart: true };
  const positive = LOG_GRID.map((logT) => isPositive(heads, logT));
  for (let i = 1; i < LOG_GRID.length; i++) {
    if (positive[i] === positive[i - 1]) continue;
    let low = LOG_GRID[i - 1], high = LOG_GRID[i];
    for (let step = 0; step < BISECTIONS; step++) {
      const middle = 0.5 * (low + high);
      if (isPositive(heads, middle) === positive[i - 1]) low = middle;
      else high = middle;
    }
    zeros.push({ logT: low, sign: positive[i - 1] ? 1 : -1 });
  }
  return { zeros, openAtStart: positive[0] };
}

function clipped(heads, sum) {
  const { zeros, openAtStart } = findZeros(heads);
  for (const zero of zeros) zero.step = zero.sign * sum(zero.logT);

  function atTime(logT) {
    let isOpen = openAtStart, total = 0;
    for (const { logT: zero, step } of zeros) {
      if (zero >= logT) break;
      isOpen = !isOpen;
      total += step;
    }
    return Math.max(isOpen ? total + sum(logT) : total, 0);
  }

  const known = REFERENCES.map(atTime);
  function cumulative(logT) {
    let value = atTime(logT);
    for (let i = 0; i < REFERENCES.length && REFERENCES[i] <= logT; i++) value = Math.max(value, known[i]);
    return value;
  }
  return { cumulative, zeros: zeros.map((zero) => zero.logT) };
}

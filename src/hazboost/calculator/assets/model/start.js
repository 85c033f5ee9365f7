// Scores before the first tree: the same for everybody, or a linear predictor.

// The power transform of Yeo and Johnson for sizes |x| in units of their mean.
function straighten(value, unit, power) {
  const logSize = Math.log1p(Math.abs(value) / unit), used = value < 0 ? 2 - power : power;
  const size = Math.abs(used) < 1e-18 ? logSize : Math.expm1(Math.min(used * logSize, 300)) / used;
  return value < 0 ? -size : size;
}

function linearShift(start, row, causes) {
  const shift = new Float64Array(causes);
  for (const { feature, straighten: transform, center, scale, coefficient } of start.numbers) {
    let value = row[feature];
    if (value !== value) continue; // a missing value counts as the mean, which is zero
    value = clip(value, -1e100, 1e100);
    if (transform) value = straighten(value, transform[0], transform[1]);
    value = clip((value - center) / scale, -start.farthest, start.farthest);
    for (let cause = 0; cause < causes; cause++) shift[cause] += value * coefficient[cause];
  }
  for (const { feature, low, high, coefficient } of start.categories) {
    const code = row[feature];
    if (code !== code) continue;
    for (let level = 0; level < low.length; level++) {
      const value = level === code ? high[level] : low[level];
      for (let cause = 0; cause < causes; cause++) shift[cause] += value * coefficient[level][cause];
    }
  }
  return shift;
}

// From the logarithm of a parameter to the score that gives it.
const INVERSES = {
  exp: (log) => log,
  relu: (log) => Math.exp(log),
  softplus: (log) => Math.exp(log) + Math.log(-Math.expm1(-Math.exp(log))),
};

function startScores(start, row, mixture) {
  if (start.intercept) return Float64Array.from(start.intercept);
  const inverse = INVERSES[mixture.parameterActivation];
  const limited = linearShift(start, row, mixture.causes).map((one) => clip(one, -start.largestShift, start.largestShift));
  return Float64Array.from(start.logIntercept, (intercept, score) => {
    const log = start.loading.reduce((sum, ofCause, cause) => sum + ofCause[score] * limited[cause], intercept);
    return score < mixture.firstWeight ? inverse(log) : log;
  });
}

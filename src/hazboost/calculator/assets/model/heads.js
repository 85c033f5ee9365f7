// Hazard families: from the logarithms of the parameters to functions of log-time, H(t) and log h(t).

const MAX_EXPONENT = 300;
const LOG_SQRT_2PI = 0.5 * Math.log(2 * Math.PI);
const LATE_NORMAL = 100; // from here on the normal hazard is computed from its series

// Families whose H depends on time through z = log(eta) + k log(t) only: G(z), and the logarithm of its slope.
const LINKS = {
  weibull: {
    value: (z) => Math.exp(Math.min(z, MAX_EXPONENT)),
    logSlope: (z) => z,
  },
  loglogistic: {
    value: (z) => Math.max(Math.log1p(Math.exp(Math.min(z, MAX_EXPONENT))), z),
    logSlope: (z) => z - Math.max(Math.log1p(Math.exp(Math.min(z, MAX_EXPONENT))), z),
  },
  lognormal: {
    value: (z) => -logNormal(-z),
    logSlope: (z) => (z > LATE_NORMAL ? Math.log(z + (1 - (2 - 10 / (z * z)) / (z * z)) / z)
      : -logNormal(-z) - 0.5 * z * z - LOG_SQRT_2PI),
  },
  exponentiated_weibull: {
    value: (z, logA) => exponentiatedWeibull(z, logA).value,
    logSlope: (z, logA) => exponentiatedWeibull(z, logA).logSlope,
  },
  bounded: {
    value: (z) => (z > 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z))),
    logSlope: (z) => -Math.abs(z) - 2 * Math.log1p(Math.exp(-Math.abs(z))),
  },
};

const LATE_EXPONENT = 3.5; // from here on 1 - exp(-exp(x)) is 1 up to rounding

// -log(1 - exp(-exp(x))) up to LATE_EXPONENT, by the one of two formulas that does not cancel.
function complement(x) {
  if (x < -36) return -x;
  const w = Math.exp(Math.min(x, LATE_EXPONENT));
  return w < 0.7 ? -Math.log(-Math.expm1(-w)) : -Math.log1p(-Math.exp(-w));
}

function exponentiatedWeibull(z, logA) {
  const x = Math.min(z, MAX_EXPONENT), late = x > LATE_EXPONENT, u = Math.exp(x), c = complement(x);
  const logC = late ? -u : Math.log(c), y = logA + logC, w = Math.exp(y);
  const value = y > LATE_EXPONENT ? Math.exp(-w) : complement(y);
  // y and value may be huge and of opposite signs, so they meet first
  return { value, logSlope: (late ? x : x - u + c - logC) + (y - w + value) };
}

const HEADS = {
  exponential: ([logEta]) => ({
    cumulative: (logT) => Math.exp(Math.min(logEta + logT, MAX_EXPONENT)),
    logHazard: () => logEta,
  }),
  gompertz: ([logEta, logK]) => ({
    cumulative: (logT) => Math.exp(logEta - logK) * Math.expm1(Math.exp(Math.min(logK + logT, Math.log(MAX_EXPONENT)))),
    logHazard: (logT) => logEta + Math.exp(Math.min(logK + logT, 2 * MAX_EXPONENT)),
  }),
};
for (const [family, link] of Object.entries(LINKS)) {
  HEADS[family] = ([logEta, logK, logA]) => {
    const k = Math.exp(logK);
    return {
      cumulative: (logT) => link.value(logEta + k * logT, logA),
      logHazard: (logT) => link.logSlope(logEta + k * logT, logA) + logK - logT,
    };
  };
}

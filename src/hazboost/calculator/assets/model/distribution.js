// The distribution of the event time of one subject, in the user's unit of time.

const LOG_RANGE = [-690, 690], TINY = Number.MIN_VALUE * 2 ** 52;
const LEVELS = [0.01, 0.1, 0.4, 1, 2.5, 6, 15, 45], AT_ONE = 3, REACH = 24, LATE = 45;
const ACCURACY = 1e-10, BEGINNING = 1e-6, PANELS = 4, ROUGH = 1e-4, PRECISE = 1e-13;

function makeDistribution(causes, unit) {
  const total = (logT) => {
    let sum = 0;
    for (const cause of causes) sum += cause.cumulative(logT);
    return sum;
  };
  const kinks = causes.flatMap((cause) => cause.zeros);
  const logTime = (time) => clip(Math.log(Math.max(time, 1e-300)) - Math.log(unit), ...LOG_RANGE);
  // The search is in log H against log t, where a Weibull head is a straight line.
  const logTimeOf = (level, tolerance) =>
    invert((logT) => Math.log(Math.max(total(logT), TINY)), Math.log(Math.max(level, TINY)), ...LOG_RANGE, tolerance);
  const cumulativeHazard = (time) => (time > 0 ? total(logTime(time)) : 0);
  const survival = (time) => Math.exp(-cumulativeHazard(time));

  // The time by which the event has happened with probability p; infinite if never.
  function quantile(p) {
    const logT = logTimeOf(-Math.log1p(-p), PRECISE);
    return logT >= LOG_RANGE[1] ? Infinity : Math.exp(logT + Math.log(unit));
  }

  // The integral of S until tau, over log-time. Panels are cut where H passes some levels, so that they follow its fall.
  function restrictedMean(tau) {
    const upper = Math.min(Math.log(tau) - Math.log(unit), LOG_RANGE[1]);
    const crossings = LEVELS.map((level) => logTimeOf(level, ROUGH));
    const lower = Math.max(Math.min(crossings[AT_ONE], upper) - REACH, LOG_RANGE[0]);
    const cuts = [...crossings, ...kinks].map((x) => clip(x, lower, upper));
    const edges = [...spaced(lower, upper, 5), ...cuts].sort((one, other) => one - other);
    // In units of tau, or of the time at which H = 1: the integrand is about 1 where it is largest.
    const scale = Math.min(upper, crossings[AT_ONE]);
    const functions = (x) => ({ f: Math.exp(x - scale - total(x)), g: [x] });
    const [[inside]] = integrate(functions, edges, [upper], ACCURACY);
    return (Math.exp(lower) + Math.exp(scale) * inside) * unit; // S counts as 1 before the lower limit
  }

  // Probabilities of an event of each cause by each of the times.
  function incidences(times, accuracy = ACCURACY) {
    if (causes.length === 1) return [times.map((time) => -Math.expm1(-cumulativeHazard(time)))];
    const at = times.map(logTime), upper = Math.max(...at), end = total(upper);
    const begin = Math.min(logTimeOf(BEGINNING * Math.min(end, 1), ROUGH), upper);
    const last = Math.max(Math.min(upper, logTimeOf(LATE, ROUGH)), begin);
    const cuts = kinks.map((x) => clip(x, begin, last));
    const edges = [...spaced(begin, last, PANELS + 1), ...cuts].sort((one, other) => one - other);
    const functions = (x) => {
      const g = causes.map((cause) => cause.cumulative(x));
      let all = 0;
      for (const one of g) all += one;
      return { f: Math.exp(-all), g };
    };
    const integrals = integrate(functions, edges, at.map((x) => clip(x, begin, last)), -Math.expm1(-end) * accuracy);
    return causes.map((cause, i) => times.map((time, j) => {
      if (time <= 0) return 0;
      // Until `begin` S is practically 1, and the incidence is a share of 1 - S.
      const early = Math.min(at[j], begin), all = total(early);
      return (all > 0 ? (-Math.expm1(-all) * cause.cumulative(early)) / all : 0) + integrals[i][j];
    }));
  }

  return { cumulativeHazard, survival, incidences, restrictedMean, quantile, median: () => quantile(0.5) };
}

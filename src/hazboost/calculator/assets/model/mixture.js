// From scores to the heads of each cause, with their log-parameters and weights.

const SMALLEST = 1e-30, LARGEST = 1e30, MAX_LOG = Math.log(LARGEST);

// The logarithm of a positive parameter; NaN where it is zero.
const PARAMETER_ACTIVATIONS = {
  relu: (score) => (score > SMALLEST ? Math.log(Math.min(score, LARGEST)) : NaN),
  softplus: (score) => Math.log(softplus(clip(score, -MAX_LOG, LARGEST))),
  exp: (score) => clip(score, -MAX_LOG, MAX_LOG),
};

function softmax(scores) {
  const largest = Math.max(...scores), parts = scores.map((score) => Math.exp(score - largest));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / total);
}

// Weights of the heads of a cause; a level is the first score.
const WEIGHT_ACTIVATIONS = {
  relu: (scores) => scores.map((score) => clip(score, 0, LARGEST)),
  exp: (scores) => scores.map((score) => Math.exp(clip(score, -MAX_LOG, MAX_LOG))),
  identity: (scores) => scores.map((score) => clip(score, -LARGEST, LARGEST)),
  tanh: (scores) => scores.map(Math.tanh),
  sigmoid: (scores) => scores.map((score) => Math.exp(-softplus(-Math.max(score, -MAX_LOG)))),
  softmax,
  scaled_softmax: ([level, ...scores]) =>
    softmax(scores).map((share) => Math.exp(clip(level, -MAX_LOG, MAX_LOG)) * share),
};
const SIGNED = new Set(["identity", "tanh"]);

function readMixture({ blocks, parameterActivation, weightActivation, background, causes }) {
  const heads = blocks.reduce((sum, [, count]) => sum + count, 0);
  const parameters = blocks.reduce((sum, [, count, each]) => sum + count * each, 0);
  const weightScores = { uniform: 0, scaled_softmax: heads + 1 }[weightActivation] ?? heads;
  const activate = PARAMETER_ACTIVATIONS[parameterActivation];

  function headsOfCause(scores, cause) {
    let place = cause * parameters;
    const found = [];
    for (const [name, count, each] of blocks) {
      for (let i = 0; i < count; i++) {
        const logs = [];
        for (let p = 0; p < each; p++) logs.push(activate(scores[place + p * count + i]));
        found.push(logs.some(Number.isNaN) ? null : HEADS[name](logs)); // a parameter of zero: no hazard
      }
      place += count * each;
    }
    const first = causes * parameters + cause * weightScores;
    const own = Array.from(scores.slice(first, first + weightScores));
    const weights = weightActivation === "uniform" ? found.map(() => 1 / heads) : WEIGHT_ACTIVATIONS[weightActivation](own);
    return found.map((head, i) => ({ head, weight: weights[i] })).filter(({ head, weight }) => head && weight !== 0);
  }

  return {
    causes,
    parameterActivation,
    firstWeight: causes * parameters,
    // The hazard of each cause, from the scores of each model: the mean over the models.
    hazards(models) {
      const all = [];
      for (let cause = 0; cause < causes; cause++) {
        const found = models.flatMap((scores) => headsOfCause(scores, cause));
        const mean = found.map(({ head, weight }) => ({ head, weight: weight / models.length }));
        all.push(causeHazard(mean, background, SIGNED.has(weightActivation)));
      }
      return all;
    },
  };
}

// The hazard of one cause of one subject: `cumulative(logT)` is H(t), and `zeros` the log-times at which it is clipped.
function causeHazard(heads, background, signed) {
  // Whoever has no hazard left has the background hazard: nobody is without any risk.
  if (!heads.some((one) => one.weight > 0)) {
    return { cumulative: (logT) => background * Math.exp(logT), zeros: [] };
  }
  const sum = (logT) => {
    let total = 0;
    for (const { head, weight } of heads) total += weight * head.cumulative(logT);
    return total;
  };
  return signed ? clipped(heads, sum) : { cumulative: sum, zeros: [] };
}

// A model: from the features of one subject to the distribution of the event time. A feature is a number, the code of a
// category, or NaN if it is not known.

function readModel({ forest, start, mixture: described, trust, highest, sparse, unit }) {
  const trees = readForest(forest), mixture = readMixture(described);

  function scores(row) {
    const begin = startScores(start, row, mixture);
    // Entries of zero that a sparse matrix does not store are missing to the trees; no value is above the largest known.
    const asStored = Float32Array.from(row, (value, i) =>
      sparse && value === 0 ? NaN : highest[i] === null ? value : Math.min(value, highest[i]));
    const grown = trees.addTo(begin, asStored);
    return begin.map((value, score) => value + trust[score] * (grown[score] - value));
  }

  return { scores, predict: (row) => makeDistribution(mixture.hazards(scores(row)), unit) };
}

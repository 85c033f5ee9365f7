// A model: from the features of one subject to the distribution of the event time. A feature is a number, the code of a
// category, or NaN if it is not known. The hazard is the mean of those of one or more models.

function readModel({ forest, starts, mixture: described, shrinkage, highest, sparse, unit }) {
  const trees = readForest(forest), mixture = readMixture(described);

  // The scores of each model.
  function scores(row) {
    // Entries of zero that a sparse matrix does not store are missing to the trees; no value is above the largest known.
    const asStored = Float32Array.from(row, (value, i) =>
      sparse && value === 0 ? NaN : highest[i] === null ? value : Math.min(value, highest[i]));
    return starts.map((start, number) => {
      const grown = trees.sums(asStored, number, shrinkage.length);
      return startScores(start, row, mixture).map((value, score) => value + shrinkage[score] * grown[score]);
    });
  }

  return { scores, predict: (row) => makeDistribution(mixture.hazards(scores(row)), unit) };
}

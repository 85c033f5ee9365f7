// The trees. Features, thresholds and sums are in single precision, as XGBoost has them.

function readForest(forest) {
  const nodes = unpack(forest.nodes), leaves = unpack(forest.leaves);
  const feature = unpack(forest.feature), threshold = unpack(forest.threshold);
  const missingLeft = unpack(forest.missingLeft), set = unpack(forest.set);
  const sets = forest.sets.map((codes) => new Set(codes));
  // A node stands before its left branch; where its right one begins follows from reading all nodes once.
  const right = new Int32Array(nodes.length), leaf = new Int32Array(nodes.length);
  let place = 0, leafCount = 0;

  function readTree() {
    const open = [];
    for (;;) {
      const node = place++;
      if (nodes[node] > 0) {
        open.push(node);
        continue;
      }
      leaf[node] = leafCount++;
      // The end of a left branch is the beginning of the right one of the last node that waits for it.
      while (open.length && right[open[open.length - 1]] > 0) open.pop();
      if (!open.length) return;
      right[open[open.length - 1]] = place;
    }
  }

  // For each tree of an ensemble its root, and the score that it adds to.
  const ensembles = forest.ensembles.map((packed) => {
    const scores = unpack(packed);
    const roots = Int32Array.from(scores, () => {
      const root = place;
      readTree();
      return root;
    });
    return { roots, scores };
  });

  // The position of the leaf of a row, given as numbers in single precision with NaN for missing values.
  function findLeaf(root, row) {
    let node = root;
    while (nodes[node] > 0) {
      const question = nodes[node] - 1, value = row[feature[question]];
      let left;
      if (value !== value) left = missingLeft[question] === 1;
      else if (set[question] > 0) left = !sets[set[question] - 1].has(value);
      else left = value < threshold[question];
      node = left ? node + 1 : right[node];
    }
    return leaf[node];
  }

  // The sums of the trees of one of the ensembles, one for each of its scores.
  function sums(row, ensemble, width) {
    const { roots, scores } = ensembles[ensemble], sum = new Float32Array(width);
    for (let tree = 0; tree < roots.length; tree++) sum[scores[tree]] += leaves[findLeaf(roots[tree], row)];
    return sum;
  }

  return { sums };
}

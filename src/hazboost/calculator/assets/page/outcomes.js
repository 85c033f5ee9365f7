// What may happen to a person, and how likely it is: without event, or with an event of one of the causes.

const model = readModel(data.model);
const eventNames = data.events.map((given, i) =>
  given === null ? (data.events.length === 1 ? say("event") : say("eventOf", { number: i + 1 })) : isolate(given));
const outcomes = [
  { key: "none", label: say("without") },
  ...eventNames.map((event, i) => ({ key: `event${i}`, label: say("withEvent", { event }) })),
];

// Probabilities of all outcomes at some times: one array for each outcome.
function probabilities(distribution, times) {
  return [times.map(distribution.survival), ...distribution.incidences(times)];
}

// The same for everybody in the training data, by the steps that were kept of their curves.
function cohortAt(time) {
  const { times, incidence } = data.cohort;
  let last = 0;
  while (last + 1 < times.length && times[last + 1] <= time) last++;
  const events = incidence.map((curve) => curve[last]);
  return [1 - events.reduce((sum, one) => sum + one, 0), ...events];
}

// One outcome of everybody over time.
function cohortCurve(outcome) {
  const { times, incidence } = data.cohort;
  const values = times.map((_, i) => (outcome === 0 ? 1 - incidence.reduce((sum, curve) => sum + curve[i], 0) : incidence[outcome - 1][i]));
  return { times, values };
}

// Whole numbers of 100 people that add up to 100: those with the largest remainders are rounded up.
function ofHundred(shares) {
  const exact = shares.map((share) => 100 * Math.max(share, 0)), counts = exact.map(Math.floor);
  const order = exact.map((_, i) => i).sort((i, j) => exact[j] - counts[j] - (exact[i] - counts[i]));
  const missing = Math.round(100 - counts.reduce((sum, one) => sum + one, 0));
  for (let i = 0; i < missing && i < order.length; i++) counts[order[i]]++;
  return counts;
}

// The features of a person, as the model reads them, from the values of the inputs.
function rowOf(values) {
  const row = new Float64Array(data.width).fill(NaN);
  data.inputs.forEach((input, i) => { row[input.feature] = values[i]; });
  return row;
}

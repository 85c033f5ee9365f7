// What the page shows: the inputs of one or two scenarios, a time, and one of the outcomes.

const NAMES = ["A", "B"];
const scenarioName = (i) => say("scenario", { name: NAMES[i] });
const typicalValues = () => data.inputs.map(typicalValue);
const roundTime = (time) => ownTime(Number(shownTime(time).toFixed(timeDigits())));
const roughTime = (time) => ownTime(Number(shownTime(time).toPrecision(2)));

const state = {
  scenarios: [typicalValues()],
  editing: 0,
  outcome: data.events.length === 1 ? 1 : 0,
  time: Math.min(roughTime(data.time.horizon), data.time.longest),
};
const comparing = () => state.scenarios.length > 1;

// However often values change, the page is drawn once for each frame.
let waiting = false;
function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    render();
  });
}

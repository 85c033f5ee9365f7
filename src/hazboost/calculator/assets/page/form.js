// The inputs of the scenario that is being edited, and the controls of the results.

const fields = data.inputs.map((input, i) => makeField(input, i, (value) => {
  state.scenarios[state.editing][i] = value;
  changed();
}));

function makeRadios(key, legend, labels, choose) {
  const radios = labels.map((_, i) => make("input", { type: "radio", name: key, id: `${key}-${i}`, onchange: () => choose(i) }));
  const choices = labels.map((label, i) => make("span", { class: "choice" }, radios[i], make("label", { for: `${key}-${i}` }, name(label))));
  return {
    element: make("fieldset", { class: "field" }, make("legend", {}, legend), make("div", { class: "choices" }, choices)),
    show: (chosen) => radios.forEach((radio, i) => { radio.checked = i === chosen; }),
  };
}

const scenarioChoice = makeRadios("editing", say("editing"), NAMES.map((_, i) => scenarioName(i)), (i) => {
  state.editing = i;
  showFields();
  changed();
});
const compareButton = make("button", { type: "button", onclick: () => {
  if (comparing()) state.scenarios = [state.scenarios[state.editing]];
  else state.scenarios.push(state.scenarios[0].slice());
  state.editing = comparing() ? 1 : 0;
  showFields();
  changed();
} });
const resetButton = make("button", { type: "button", onclick: () => {
  state.scenarios[state.editing] = typicalValues();
  showFields();
  changed();
} }, say("reset"));

function showFields() {
  fields.forEach((field, i) => field.show(state.scenarios[state.editing][i]));
  scenarioChoice.element.hidden = !comparing();
  scenarioChoice.show(state.editing);
  compareButton.textContent = say(comparing() ? "stopComparing" : "compare");
}

// Where the other scenario differs, its value is said beside the name of the input.
function showOthers() {
  const other = state.scenarios[1 - state.editing];
  fields.forEach((field, i) => {
    const differs = comparing() && !Object.is(other[i], state.scenarios[state.editing][i]);
    field.showOther(differs ? say("inOther", { name: NAMES[1 - state.editing], value: sayValue(data.inputs[i], other[i]) }) : "");
  });
}

const outcomeChoice = makeRadios("outcome", say("show"), outcomes.map((one) => one.label), (i) => {
  state.outcome = i;
  changed();
});

const timeStep = 10 ** -timeDigits();
const timeBox = make("input", { type: "number", id: "time", min: 0, step: "any", inputmode: "decimal" });
const timeSlider = make("input", { type: "range", min: 0, max: shownTime(data.time.longest), step: timeStep, tabindex: "-1", "aria-hidden": "true" });
stepByArrows(timeBox, timeStep);
timeBox.addEventListener("input", () => {
  const shown = Number(timeBox.value);
  if (timeBox.value === "" || !(shown > 0)) return; // a number that is being written
  state.time = ownTime(shown);
  timeSlider.value = shown;
  changed();
});
timeSlider.addEventListener("input", () => setTime(ownTime(Number(timeSlider.value))));

function setTime(time) {
  state.time = Math.max(roundTime(time), ownTime(timeStep));
  showTime();
  changed();
}
function showTime() {
  timeBox.value = Number(shownTime(state.time).toPrecision(6));
  timeSlider.value = shownTime(state.time);
}

// On paper, inputs are a list: those that are folded away only if they are not typical.
const printed = make("ul", { class: "printed" });
function showPrinted() {
  const shown = data.inputs.map((input, i) => ({ input, values: state.scenarios.map((values) => values[i]) }))
    .filter(({ input, values }) => !input.folded || values.some((value) => !Object.is(value, typicalValue(input))));
  printed.replaceChildren(...shown.map(({ input, values }) => {
    const same = values.every((value) => Object.is(value, values[0]));
    const said = values.map((value, i) => (same ? "" : `${NAMES[i]} `) + sayValue(input, value));
    return make("li", {}, name(input.label), ": ", make("strong", {}, same ? said[0] : said.join(", ")));
  }));
}
addEventListener("beforeprint", showPrinted);

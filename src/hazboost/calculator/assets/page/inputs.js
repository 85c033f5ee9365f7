// The form. A value is a number, the code of a category, or NaN if it is not known.

const typicalValue = (input) => (input.typical === null ? NaN : input.typical);

function sayValue(input, value) {
  if (Number.isNaN(value)) return say("notKnown");
  if (input.options) return isolate((input.options.find(([code]) => code === value) ?? ["", String(value)])[1]);
  const shown = many(value);
  return input.unit ? `${shown} ${isolate(input.unit)}` : shown;
}

// One field: `element`, `show(value)` and `showOther(text)`, which says what the other scenario has.
function makeField(input, number, change) {
  const id = `input${number}`, other = make("span", { class: "other" });
  const label = [name(input.label), input.unit ? make("span", { class: "unit" }, " (", name(input.unit), ")") : null];
  const field = (input.options ? (input.options.length <= 4 ? makeButtons : makeSelect) : makeNumber)(input, id, change);
  const heading = field.grouped ? make("legend", {}, label, other) : make("label", { for: id }, label, other);
  const element = make(field.grouped ? "fieldset" : "div", { class: "field" }, heading, field.controls);
  return { element, show: field.show, showOther: (text) => { other.textContent = text; } };
}

function makeButtons(input, id, change) {
  const choices = [...input.options, [NaN, say("notKnown")]].map(([value, text], i) => {
    const radio = make("input", { type: "radio", name: id, id: `${id}-${i}`, onchange: () => change(value) });
    return { value, radio, element: make("span", { class: "choice" }, radio, make("label", { for: `${id}-${i}` }, name(text))) };
  });
  return {
    grouped: true,
    controls: make("div", { class: "choices" }, choices.map((one) => one.element)),
    show: (value) => { for (const one of choices) one.radio.checked = Object.is(one.value, value); },
  };
}

function makeSelect(input, id, change) {
  const options = input.options.map(([value, text]) => make("option", { value }, text));
  const select = make("select", { id, onchange: () => change(select.value === "" ? NaN : Number(select.value)) },
    options, make("option", { value: "" }, say("notKnown")));
  return { controls: select, show: (value) => { select.value = Number.isNaN(value) ? "" : String(value); } };
}

function makeNumber(input, id, change) {
  const hasRange = input.from !== undefined && input.to > input.from;
  const box = make("input", { type: "number", id, step: "any", inputmode: "decimal", "aria-describedby": hasRange ? `${id}-usual` : undefined });
  const unknown = make("input", { type: "checkbox", id: `${id}-unknown` });
  // The slider says nothing that the box does not say, so that it is no stop of its own for the keyboard.
  const slider = hasRange
    ? make("input", { type: "range", min: input.from, max: input.to, step: input.step, tabindex: "-1", "aria-hidden": "true" }) : null;
  let last = typicalValue(input);

  function set(value) {
    if (!Number.isNaN(value)) last = value;
    if (slider) {
      slider.value = Number.isNaN(value) ? last : value;
      slider.classList.toggle("unset", Number.isNaN(value));
    }
    unknown.checked = Number.isNaN(value);
  }
  if (hasRange) stepByArrows(box, input.step);
  box.addEventListener("input", () => {
    const value = box.value === "" ? NaN : Number(box.value);
    set(value);
    change(value);
  });
  slider?.addEventListener("input", () => {
    box.value = Number(slider.value);
    set(Number(slider.value));
    change(Number(slider.value));
  });
  unknown.addEventListener("change", () => {
    const value = unknown.checked ? NaN : last;
    box.value = Number.isNaN(value) ? "" : value;
    set(value);
    change(value);
  });
  const usual = hasRange ? make("span", { class: "usual", id: `${id}-usual` },
    say("usual", { low: many(input.usual[0]), high: many(input.usual[1]) })) : null;
  const notKnown = make("span", { class: "not-known" }, unknown, make("label", { for: `${id}-unknown` },
    say("notKnown"), make("span", { class: "hidden" }, ": ", name(input.label))));
  return {
    controls: make("div", { class: "number" }, box, slider, make("div", { class: "hints" }, usual, notKnown)),
    show: (value) => {
      box.value = Number.isNaN(value) ? "" : value;
      set(value);
    },
  };
}

// Arrow keys move a number by steps of its own size; a browser would always move it by one.
function stepByArrows(box, step) {
  box.addEventListener("keydown", (event) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    box.value = Number((Number(box.value) + direction * step).toPrecision(10));
    box.dispatchEvent(new Event("input"));
  });
}

// What is unusual about the values of a scenario.
function warningsFor(values) {
  return data.inputs.flatMap((input, i) => {
    const value = values[i], label = isolate(input.label);
    if (Number.isNaN(value)) return input.missing === 0 ? [say("neverMissing", { label })] : [];
    if (input.low === undefined || (value >= input.low && value <= input.high)) return [];
    return [say("outside", { label, value: sayValue(input, value), low: many(input.low), high: many(input.high) })];
  });
}

// Texts and numbers in the language of the page.

const data = JSON.parse(document.getElementById("data").textContent);

// A text with values filled in.
const say = (key, values = {}) => data.texts[key].replace(/\{(\w+)\}/g, (place, one) => (one in values ? values[one] : place));

// Unicode's isolating marks keep the direction of a name to itself.
const isolate = (text) => `\u2068${text}\u2069`;

// Parts of a text that are set in bold stand between two marks of Unicode's private area.
const emphasis = (text) => `\ue000${text}\ue001`;
const emphasised = (text) => text.split(/(\ue000[^\ue001]*\ue001)/).map((part) =>
  (part.startsWith("\ue000") ? make("strong", {}, part.slice(1, -1)) : part));

const formats = new Map();
function format(value, options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(data.language, options));
  return formats.get(key).format(value);
}

const whole = (value) => format(value, { maximumFractionDigits: 0 });
const percent = (share, digits = 0) => format(share, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });
const many = (value) => (value !== 0 && Math.abs(value) < 1e-3
  ? format(value, { notation: "scientific", maximumSignificantDigits: 3 }) : format(value, { maximumSignificantDigits: 6 }));
const signed = (value) => format(value, { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "exceptZero" }).replace("-", "−");
const list = (items) => new Intl.ListFormat(data.language).format(items);

// Times are shown in a unit of their own.
const shownTime = (time) => time / data.time.length;
const ownTime = (shown) => shown * data.time.length;
const timeDigits = () => Math.max(0, 1 - Math.floor(Math.log10(shownTime(data.time.horizon))));
function sayTime(time, precise = false) {
  const most = timeDigits() + (precise ? 1 : 0);
  const shown = format(shownTime(time), { minimumFractionDigits: precise ? most : 0, maximumFractionDigits: most });
  return data.time.unit ? `${shown} ${isolate(data.time.unit)}` : shown;
}

// "Time (years)"
const timeLabel = () => [say("time"), data.time.unit ? make("span", { class: "unit" }, " (", name(data.time.unit), ")") : null];

"use strict";
// A click on the head of a column sorts by it, a second click turns the order round; places without a number stay last.
const numberOf = (row, column) => Number(row.cells[column].dataset.value ?? NaN);

function compare(column, direction) {
  return (one, other) => {
    const [a, b] = [numberOf(one, column), numberOf(other, column)];
    if (Number.isNaN(a) && Number.isNaN(b)) {
      return direction * one.cells[column].textContent.localeCompare(other.cells[column].textContent);
    }
    return Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : direction * (a - b);
  };
}

function sortBy(head) {
  const descending = head.getAttribute("aria-sort") === "ascending";
  const table = head.closest("table");
  const rows = [...table.tBodies[0].rows].sort(compare(head.cellIndex, descending ? -1 : 1));
  table.tHead.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  rows.forEach((row) => row.classList.remove("rule"));
  table.tBodies[0].append(...rows);
}

document.querySelectorAll("table.sortable thead th").forEach((head) => {
  const button = document.createElement("button");
  button.textContent = head.textContent;
  button.addEventListener("click", () => sortBy(head));
  head.replaceChildren(button);
});

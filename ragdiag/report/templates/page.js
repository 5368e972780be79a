"use strict";
const cases = [...document.querySelectorAll("details.case")];
const byCode = document.getElementById("by-code");
const byText = document.getElementById("by-text");
const shown = document.getElementById("shown");
const texts = cases.map((one) => one.textContent.toLowerCase());

function apply() {
  const word = byText.value.trim().toLowerCase();
  let n = 0;
  cases.forEach((one, i) => {
    const fits = (!byCode.value || one.dataset.code === byCode.value) && texts[i].includes(word);
    one.hidden = !fits;
    n += fits ? 1 : 0;
  });
  shown.textContent = `${n} of ${cases.length}`;
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}

byCode.addEventListener("change", apply);
byText.addEventListener("input", apply);
window.addEventListener("hashchange", openTarget);
apply();
openTarget();

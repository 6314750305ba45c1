"use strict";
(() => {
  const terms = JSON.parse(document.getElementById("terms").textContent);
  const topics = [...document.querySelectorAll(".topic")];
  document.querySelector(".find").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const topic of topics) topic.hidden = !topic.textContent.toLowerCase().includes(wanted);
  });
  const score = (weight, [, here, overall]) => weight * Math.log(here) + (1 - weight) * Math.log(here / overall);
  document.getElementById("relevance").addEventListener("input", (event) => {
    const weight = Number(event.target.value);
    document.getElementById("lambda").textContent = weight.toFixed(1);
    for (const topic of topics) {
      for (const part of topic.querySelectorAll("[data-language]")) {
        const shown = [...part.querySelectorAll(".term")];
        const best = [...terms[topic.dataset.number][part.dataset.language]].sort((a, b) => score(weight, b) - score(weight, a)).slice(0, shown.length);
        const most = Math.max(...best.map(([, here]) => here));
        shown.forEach((span, k) => {
          if (!best[k]) return;
          span.textContent = best[k][0];
          span.title = best[k][1].toPrecision(3);
          span.style.setProperty("--v", (best[k][1] / most).toFixed(2));
        });
      }
    }
  });
  const open = () => { const topic = document.getElementById(location.hash.slice(1)); if (topic && topic.tagName === "DETAILS") { topic.hidden = false; topic.open = true; topic.scrollIntoView({ block: "start" }); } };
  addEventListener("hashchange", open);
  open();
})();

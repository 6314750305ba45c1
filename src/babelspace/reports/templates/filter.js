document.querySelector(".find").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const topic of document.querySelectorAll(".topic"))
    topic.hidden = !topic.textContent.toLowerCase().includes(wanted);
});

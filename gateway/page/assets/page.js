// Makes the page quicker; without it everything works by links and forms.
"use strict";

const SEARCH_AFTER_MS = 150;

function searchWhileTyping() {
  const field = document.getElementById("q");
  const results = document.getElementById("results");
  if (!field || !results) return;
  let timer = 0;
  let asked = 0;
  async function search() {
    const number = ++asked;
    const fields = [...new FormData(field.form)].filter(([, value]) => value.trim());
    const page = field.form.getAttribute("action");
    const address = page + "?" + new URLSearchParams(fields);
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) return;
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("results");
      if (!found || number !== asked) return; // a later question was faster
      results.replaceChildren(...found.childNodes);
      history.replaceState(null, "", fields.length ? address : page);
    } catch {
      // The button still searches.
    }
  }
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, SEARCH_AFTER_MS);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    }
  });
}

function copyButtons() {
  if (!navigator.clipboard) return;
  for (const text of document.querySelectorAll(".copy")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copier";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy " + (text.closest("tr") ? "the digest" : "this"));
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.title || text.textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    text.after(button);
  }
}

searchWhileTyping();
copyButtons();

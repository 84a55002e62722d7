/* Search as you type, keys, copying, counts. */
"use strict";
(() => {
  const form = document.querySelector("form.search");
  const field = document.getElementById("q");
  let running, waiting;

  const address = () => {
    const given = [...new FormData(form)].filter(([, value]) => value);
    const query = `${new URLSearchParams(given)}`;
    return form.getAttribute("action") + (query && `?${query}`);
  };

  const show = async () => {
    clearTimeout(waiting);
    running?.abort();
    const mine = (running = new AbortController());
    const url = address();
    try {
      const answer = await fetch(url, { signal: mine.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine.signal.aborted) return;
      const focused = document.activeElement.id;
      for (const id of ["filters", "found"]) {
        const fresh = page.getElementById(id);
        if (!fresh) throw answer;
        document.getElementById(id).replaceWith(fresh);
      }
      if (focused) document.getElementById(focused)?.focus();
      document.title = page.title;
      history.replaceState(null, "", url);
    } catch (error) {
      if (!mine.signal.aborted) location.assign(url);
    }
  };

  form?.addEventListener("input", (event) => {
    clearTimeout(waiting);
    if (event.target === field) waiting = setTimeout(show, 150);
  });
  form?.addEventListener("change", (event) => event.target !== field && show());
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && field && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.select();
    } else if (event.key === "Escape" && event.target === field && field.value) {
      event.preventDefault();
      field.value = "";
      show();
    }
  });

  for (const button of document.querySelectorAll("[data-copy], [data-copy-url]")) {
    const { copy, copyUrl } = button.dataset;
    const name = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = copy ?? (await (await fetch(copyUrl)).text());
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = name), 1500);
    });
  }

  const counts = document.querySelectorAll("[data-count]");
  const count = async () => {
    if (document.hidden) return;
    const answer = await fetch("/counts.json").catch(() => null);
    if (!answer?.ok) return;
    const now = await answer.json();
    for (const place of counts) {
      const number = now[place.dataset.count];
      if (number === place.textContent) continue;
      place.textContent = number;
      document.querySelector("#fresh")?.removeAttribute("hidden");
    }
  };
  if (counts.length) {
    setInterval(count, 10000);
    document.addEventListener("visibilitychange", count);
  }
})();

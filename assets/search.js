/* The search's snippets, from the texts of all pages (see _ext/finish/search.py): no page is fetched, and each formula stands once. */
"use strict";

{
  const root = document.documentElement.dataset.content_root;
  const texts = new Promise((done) => {
    window.uatSearchTexts = done;
    const script = document.createElement("script");
    script.src = `${root}_static/uat-search-texts.js`;
    script.onerror = () => done({});
    document.head.append(script);
  });
  const SNIPPET = 240;
  const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
  const STATEMENT = /^(?:theorem|lemma|corollary|proposition|definition|claim) (?:[a-z]\.)?[\d.]+$/;

  // Whoever types the name of a statement wants the page that has it.
  const wanted = (title) => STATEMENT.test(asked) && title.split("> ").pop().toLowerCase() === asked;
  Scorer.score = ([, title, , , score]) => (wanted(title) ? score + 100 : score);

  // The search asks for a page, and hands on what it is given.
  window.fetch = (address) => Promise.resolve({
    text: async () => ({ of: (await texts)[decodeURI(address).slice(root.length).replace(/\.html$/, "")] }),
  });

  Search.makeSearchSummary = (page, words, anchor) => {
    const summary = document.createElement("p");
    summary.className = "context";
    if (!page.of) return summary;
    const [text, anchors] = page.of;
    const named = anchor ? anchors[anchor.slice(1)] : undefined;
    let start = named ?? 0;
    if (named === undefined) {
      const lower = text.toLowerCase();
      const found = [...words].map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
      start = Math.max(0, Math.min(...found, text.length) - SNIPPET / 2);
      if (!found.length) start = 0;
      if (start > 0) start = text.indexOf(" ", start) + 1;
    }
    const end = start + SNIPPET < text.length ? text.lastIndexOf(" ", start + SNIPPET) : text.length;
    summary.textContent = (start > 0 && named === undefined ? "\u2026 " : "") + text.slice(start, end) + (end < text.length ? " \u2026" : "");
    return summary;
  };
}

"use strict";
(() => {
  const findings = [...document.querySelectorAll("article.finding")];
  if (findings.length === 0) {
    return;
  }
  const add = (tag, text, put) => {
    const element = document.createElement(tag);
    element.textContent = text;
    put(element);
    return element;
  };
  const said = add("output", "", (element) => document.body.append(element));

  // Where the report lies in the folder of its knowledge base, the copied command names that folder.
  let path = null;
  try {
    const isHere = location.protocol === "file:" && !location.host; // not so for WSL and HTTP
    path = isHere && decodeURIComponent(location.pathname).match(/^(?!\/[A-Za-z]:)(.+)\/insights\/report\.html$/);
  } catch {
    // The folder's name is not in UTF-8.
  }
  const kb = path ? " --kb '" + path[1].replaceAll("'", "'\\''") + "'" : "";
  const copy = async (code) => {
    const command = code.textContent + (code.textContent.includes(" --") ? "" : kb);
    try {
      await navigator.clipboard.writeText(command);
      said.textContent = "Copied: " + command;
    } catch {
      getSelection().selectAllChildren(code);
      said.textContent = "The command is selected: copy it with the keys of your system.";
    }
  };
  document.querySelectorAll(".decide code").forEach((code) => {
    const button = add("button", "Copy", (element) => code.after(" ", element));
    button.type = "button";
    button.setAttribute("aria-label", "Copy " + code.textContent);
    button.addEventListener("click", () => copy(code));
  });

  document.querySelector("#leading + .note").append(" The keys j and k go to the next and the previous finding.");
  let at = -1;
  document.addEventListener("focusin", (event) => {
    const found = findings.indexOf(event.target.closest("article.finding"));
    at = found < 0 ? at : found;
  });
  document.addEventListener("keydown", (event) => {
    const step = { j: 1, k: -1 }[event.key];
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
      at = Math.min(Math.max(at + step, 0), findings.length - 1);
      const fold = findings[at].closest("details");
      if (fold) {
        fold.open = true;
      }
      findings[at].focus({ preventScroll: true });
      findings[at].scrollIntoView();
    }
  });
})();

"use strict";
(() => {
  const name = (element) => element.textContent.trim();
  // Of a note the topic is its folder, of an entry of helix what precedes its number.
  const topicOf = (one) => {
    const note = one.match(/^(.*?\.(?:md|markdown))(?:$|#| \()/i);
    return note ? note[1].replace(/[^/]*$/, "") || "./" : one.replace(/:\d+$/, "");
  };
  const findings = [...document.querySelectorAll("article.finding[id]:not(.review), tr[id]")].map((element) => {
    const section = element.closest("section[aria-labelledby]:not(.entry)");
    const names = [...element.querySelectorAll("h3 .name, td > .name")].map(name);
    return {
      element,
      section,
      kind: section.getAttribute("aria-labelledby"),
      topics: new Set(names.map((one) => element.tagName === "TR" ? one : topicOf(one))),
      text: name(element).toLowerCase(),
    };
  });
  if (findings.length < 2) {
    return;
  }
  const folds = [...document.querySelectorAll("main details.more")];
  const sections = [...new Set(findings.map((finding) => finding.section))];

  const option = (value, words) => {
    const one = document.createElement("option");
    one.value = value;
    one.textContent = words;
    return one;
  };
  const choice = (label, all, options) => {
    const select = document.createElement("select");
    select.setAttribute("aria-label", label);
    select.append(option("", all), ...options);
    return select;
  };
  const counted = (keysOf) => {
    const counts = new Map();
    findings.forEach((finding) => keysOf(finding).forEach((key) => counts.set(key, (counts.get(key) || 0) + 1)));
    return counts;
  };
  const ofAll = (heading, count) => {
    const all = (heading.querySelector(".count").textContent.match(/[\d,]+/g) || []).pop();
    return all && Number(all.replaceAll(",", "")) > count ? " of " + all + " shown" : "";
  };
  const kinds = counted((finding) => [finding.kind]);
  const topics = counted((finding) => finding.topics);

  const kind = choice("Kind of finding", "All findings", [...kinds].map(([key, count]) => {
    const heading = document.getElementById(key);
    return option(key, heading.firstChild.textContent.trim() + " (" + count + ofAll(heading, count) + ")");
  }));
  const topic = choice("Topic", "All topics", [...topics].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, count]) => option(key, key + " (" + count + ")")));
  const text = document.createElement("input");
  text.type = "search";
  text.placeholder = "Words in a finding";
  text.setAttribute("aria-label", "Words in a finding");
  const shown = document.createElement("output");

  const bar = document.createElement("form");
  bar.className = "filter";
  bar.setAttribute("role", "search");
  bar.append(kind, topic, text, shown);
  bar.addEventListener("submit", (event) => event.preventDefault());

  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter((word) => word);
    const filtered = kind.value !== "" || topic.value !== "" || words.length > 0;
    let count = 0;
    findings.forEach((finding) => {
      const fits = (kind.value === "" || finding.kind === kind.value)
        && (topic.value === "" || finding.topics.has(topic.value))
        && words.every((word) => finding.text.includes(word));
      finding.element.hidden = !fits;
      count += fits ? 1 : 0;
    });
    folds.forEach((fold) => {
      const holds = fold.querySelector("article.finding[id]");
      if (holds) {
        fold.open = filtered;
        fold.hidden = filtered && !fold.querySelector("article.finding[id]:not([hidden])");
      }
    });
    document.querySelectorAll("main > section, #findings > section").forEach((section) => {
      const ours = sections.includes(section);
      section.hidden = filtered && !(ours && section.querySelector("[id].finding:not([hidden]), tr[id]:not([hidden])"));
    });
    shown.textContent = filtered ? count + " of " + findings.length : "";
  };
  [kind, topic].forEach((select) => select.addEventListener("change", apply));
  text.addEventListener("input", apply);
  document.querySelector("main").before(bar);
})();

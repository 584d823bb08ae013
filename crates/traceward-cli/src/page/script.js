// Draws timelines and the table of keys. Texts come from the page's data blocks, and get into the page as text only.
"use strict";
(() => {
  const VERDICTS = { v: ["✗", "violated"], p: ["…", "pending"], h: ["✓", "holding"], s: ["✓", "satisfied"] };
  const WORST_FIRST = "vphs";
  const SIGNS = { "?": "asked here", "✗": "failed here", "✓": "settled here", "◇": "came here, outside of the window", "…": "still open" };
  const ROW_HEIGHT = 28;
  const WIDTH_ON_PAPER = 800;
  const ROWS_ON_PAPER = 100;

  const data = new Map();
  for (const block of document.querySelectorAll("script[type='application/json']")) {
    data.set(block.id, JSON.parse(block.textContent));
  }

  function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  // ---- timelines ----

  // The columns of a timeline: indices of states, and -1 where states are left out.
  function columnsOf(timeline) {
    const columns = [];
    timeline.states.forEach((state, index) => {
      const before = index === 0 ? 0 : timeline.states[index - 1].position + 1;
      if (state.position > before) columns.push(-1);
      columns.push(index);
    });
    if (timeline.states[timeline.states.length - 1].position < timeline.len - 1) columns.push(-1);
    return columns;
  }

  // The runs of equal values in a row, as lengths at the column where each begins; a gap ends a run.
  function runsOf(values, columns) {
    const runs = new Map();
    let begin = -1;
    columns.forEach((state, column) => {
      const goes_on = state >= 0 && begin >= 0 && columns[column - 1] >= 0 && values[state] === values[columns[begin]];
      if (!goes_on) begin = state >= 0 ? column : -1;
      if (begin >= 0) runs.set(begin, column - begin + 1);
    });
    return runs;
  }

  function columnWidth(timeline, columns) {
    let width = 34;
    for (const state of timeline.states) {
      const labels = [String(state.position), String(state.line), state.after || ""];
      width = Math.max(width, ...labels.map((label) => 7 * label.length + 12));
    }
    for (const { values } of timeline.values) {
      for (const [column, length] of runsOf(values, columns)) {
        width = Math.max(width, Math.min(112, 6.6 * values[columns[column]].length + 12) / length);
      }
    }
    return Math.ceil(width);
  }

  // A timeline with as many states as fit into a width, those nearest to what it marks.
  function fitted(timeline, room) {
    const most = Math.max(3, Math.floor(room / columnWidth(timeline, columnsOf(timeline))));
    const marks = [timeline.about, ...timeline.lanes.flatMap((lane) => lane.marks.map((mark) => mark.position))];
    const distance = (index) => Math.min(...marks.map((mark) => Math.abs(mark - timeline.states[index].position)));
    const nearest = [...timeline.states.keys()].sort((a, b) => distance(a) - distance(b) || a - b).slice(0, most);
    const kept = nearest.sort((a, b) => a - b);
    const of = (list) => kept.map((index) => list[index]);
    return {
      ...timeline,
      states: of(timeline.states),
      rows: timeline.rows.map((row) => ({ ...row, truth: of(row.truth).join("") })),
      values: timeline.values.map((one) => ({ ...one, values: of(one.values) })),
    };
  }

  function drawTimeline(figure, room) {
    const whole = data.get(figure.dataset.of).timelines[Number(figure.dataset.timeline)];
    const timeline = room ? fitted(whole, room) : whole;
    const columns = columnsOf(timeline);
    const left = matchMedia("(max-width: 40rem)").matches ? "8.5rem" : "15rem";
    const table = make("table", {}, make("caption", { className: "hidden", textContent: figure.dataset.title }));
    setWidths(table, left, columns, columnWidth(timeline, columns));
    const about = timeline.states.findIndex((state) => state.position === timeline.about);
    table.append(headOf(timeline, columns, about), bodyOf(timeline, columns, left));
    const panel = make("div", { className: "state" });
    panel.setAttribute("aria-live", "polite");
    const scroller = make("div", { className: "wave" }, table);
    figure.replaceChildren(scroller, panel, legend(timeline));
    listen(table, timeline, panel, Math.max(0, about));
    const shown = table.querySelector("thead .about");
    if (shown) scroller.scrollLeft = Math.max(0, shown.offsetLeft - scroller.clientWidth / 2);
  }

  // A column for names, and one for each state; gaps are narrow.
  function setWidths(table, left, columns, width) {
    const widths = [left, ...columns.map((state) => (state < 0 ? 18 : width) + "px")];
    const group = make("colgroup", {}, ...widths.map(() => make("col", {})));
    widths.forEach((one, index) => { group.children[index].style.width = one; });
    table.append(group);
    table.style.width = `calc(${widths.join(" + ")})`;
  }

  // Adds a row with a name and a cell for each state; `cell` may leave out cells that others span.
  function addRow(parent, columns, title, className, cell) {
    const head = make("th", { scope: "row", title }, make("bdi", { textContent: title }));
    const cells = columns.map((state, column) => {
      if (state < 0) return make("td", { className: "gap", textContent: parent.rows.length ? "" : "⋯" });
      const one = cell(state, column);
      if (one) one.dataset.state = state;
      return one;
    });
    parent.append(make("tr", { className }, head, ...cells.filter((one) => one)));
  }

  function headOf(timeline, columns, about) {
    const head = make("thead", {});
    const classOf = (state) => (state !== about ? "" : timeline.is_owed ? "about due" : "about");
    const texts = (text) => (state) => make("th", { scope: "col", textContent: text(timeline.states[state]), className: classOf(state) });
    addRow(head, columns, "position", "", (state) => {
      const { position, line } = timeline.states[state];
      const button = make("button", { type: "button", textContent: position, tabIndex: state === Math.max(0, about) ? 0 : -1 });
      button.setAttribute("aria-label", `position ${position}, line ${line}`);
      return make("th", { scope: "col", className: classOf(state) }, button);
    });
    addRow(head, columns, "line", "", texts((state) => state.line));
    if (timeline.states.some((state) => state.after)) addRow(head, columns, "relative time", "", texts((state) => state.after || ""));
    return head;
  }

  function bodyOf(timeline, columns, left) {
    const body = make("tbody", {});
    timeline.lanes.forEach((lane, index) => {
      addRow(body, columns, lane.text, index ? "" : "group", (state) => laneCell(lane, timeline.states, state));
    });
    timeline.rows.forEach((part, index) => {
      const begins = index === 0 || part.is_proposition !== timeline.rows[index - 1].is_proposition;
      addRow(body, columns, part.text, begins ? "group" : "", (state) => truthCell(part, state, timeline.states[state].position));
    });
    timeline.values.forEach(({ name, values }, index) => {
      const runs = runsOf(values, columns);
      addRow(body, columns, name, index ? "" : "group", (state, column) => valueCell(values[state], runs.get(column), left));
    });
    return body;
  }

  // Shows the state that the pointer or the focus is at, and leads the focus from state to state.
  function listen(table, timeline, panel, about) {
    let chosen;
    const choose = (state) => {
      if (state === undefined || state === chosen) return;
      chosen = state;
      chooseState(table, panel, timeline, state);
    };
    choose(about);
    for (const kind of ["mousemove", "focusin"]) {
      table.addEventListener(kind, (event) => choose(stateAt(event)));
    }
    table.addEventListener("click", (event) => focusState(table, stateAt(event)));
    table.addEventListener("keydown", (event) => {
      const last = timeline.states.length - 1;
      const now = stateAt(event);
      if (now === undefined) return;
      const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      focusState(table, Math.max(0, Math.min(last, next)));
    });
  }

  function focusState(table, state) {
    if (state === undefined) return;
    const button = table.querySelector(`thead [data-state="${state}"] button`);
    for (const other of table.querySelectorAll("thead button")) other.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
    button.scrollIntoView({ block: "nearest", inline: "center" });
  }

  function laneCell(lane, states, state) {
    const position = states[state].position;
    const mark = lane.marks.find((one) => one.position === position);
    const cell = make("td", {});
    if (position >= lane.from && position <= lane.to) {
      const ends = (position === lane.from ? " first" : "") + (position === lane.to && !lane.is_open ? " last" : "");
      cell.className = `lane lane-${lane.kind}${ends}`;
    } else if (lane.came !== null && (position > lane.to ? position <= lane.came : position >= lane.came)) {
      cell.className = "came" + (position !== lane.came ? "" : lane.came > lane.to ? " last" : " first");
    }
    if (mark) {
      cell.append(make("span", { className: `mark ${mark.kind}`, title: mark.text, textContent: mark.sign }));
      cell.append(make("span", { className: "hidden", textContent: mark.text }));
    }
    return cell;
  }

  function truthCell(part, state, position) {
    const kind = { 1: "t", 0: "f" }[part.truth[state]] || "u";
    const decides = part.decides.some(([from, to]) => position >= from && position <= to);
    const text = { t: "true", f: "false", u: "not known yet" }[kind];
    return make("td", { className: kind + (decides ? " d" : ""), textContent: text });
  }

  // A run of equal values is one cell; its text stays in view while the run does.
  function valueCell(value, run, left) {
    if (!run) return null;
    const text = make("span", {}, make("bdi", { textContent: value }));
    text.style.left = `calc(${left} + .3rem)`;
    const cell = make("td", { className: "value", title: value, colSpan: run }, text);
    cell.dataset.run = run;
    return cell;
  }

  // The state under a pointer, or of the cell that has the focus.
  function stateAt(event) {
    const cell = event.target.closest("[data-state]");
    if (!cell) return undefined;
    const run = Number(cell.dataset.run || 1);
    const box = cell.getBoundingClientRect();
    const nth = run > 1 ? Math.floor((event.clientX - box.left) / (box.width / run)) : 0;
    return Number(cell.dataset.state) + Math.max(0, Math.min(run - 1, nth));
  }

  function chooseState(table, panel, timeline, chosen) {
    for (const cell of table.querySelectorAll(".on")) cell.classList.remove("on");
    for (const cell of table.querySelectorAll("[data-state]")) {
      const first = Number(cell.dataset.state);
      if (chosen >= first && chosen < first + Number(cell.dataset.run || 1)) cell.classList.add("on");
    }
    const state = timeline.states[chosen];
    const facts = [["position", state.position], ["line", state.line]];
    if (state.time) facts.push(["time", state.time]);
    for (const { name, values } of timeline.values) facts.push([name, values[chosen]]);
    for (const [bit, title] of [["1", "true"], ["0", "false"], ["?", "not known yet"]]) {
      const texts = timeline.rows.filter((row) => row.truth[chosen] === bit).map((row) => row.text);
      if (texts.length) facts.push([title, texts.join(" · ")]);
    }
    for (const lane of timeline.lanes) {
      const mark = lane.marks.find((one) => one.position === state.position);
      if (mark) facts.push([lane.text, mark.text]);
    }
    const fact = ([name, text]) => make("div", {}, make("dt", {}, make("bdi", { textContent: name })), make("dd", {}, make("bdi", { textContent: text })));
    panel.replaceChildren(make("dl", {}, ...facts.map(fact)));
  }

  function legend(timeline) {
    const entries = [["t", "true"], ["f", "false"]];
    if (timeline.rows.some((row) => row.truth.includes("?"))) entries.push(["u", "not known yet"]);
    if (timeline.rows.some((row) => row.decides.length)) entries.push(["d", "decides"]);
    const items = entries.map(([kind, text]) => make("li", {}, make("i", { className: kind }), text));
    const signs = new Set(timeline.lanes.flatMap((lane) => lane.marks.map((mark) => mark.sign)));
    for (const sign of signs) items.push(make("li", {}, make("strong", { textContent: sign }), " " + SIGNS[sign]));
    items.push(make("li", {}, "Arrow keys go from state to state"));
    return make("ul", { className: "legend" }, ...items);
  }

  function drawOpen() {
    for (const figure of document.querySelectorAll("figure.timeline:not(.drawn)")) {
      const closed = figure.closest("details:not([open])");
      if (closed) continue;
      figure.classList.add("drawn");
      drawTimeline(figure);
    }
  }

  // Paper does not scroll: what is drawn on it has the states that fit.
  function redrawFor(room) {
    for (const figure of document.querySelectorAll("figure.timeline.drawn")) drawTimeline(figure, room);
  }

  // ---- keys ----

  function drawKeys(section) {
    const keys = data.get(section.dataset.of).keys;
    const all = keys.names.map((_, index) => index);
    const worst = all.map((index) => Math.min(...keys.verdicts.map((column) => WORST_FIRST.indexOf(column.verdicts[index])), 3));
    const lower = keys.names.map((name) => name.toLowerCase());
    let shown = all;
    let sorted = { column: -1, descending: false };

    const columns = [
      { title: "key", right: false, order: byText(keys.names) },
      { title: "states", right: true, order: (a, b) => keys.states[a] - keys.states[b] },
      ...keys.verdicts.map((column) => ({ title: column.name, right: false, verdicts: column.verdicts,
        order: (a, b) => WORST_FIRST.indexOf(column.verdicts[a]) - WORST_FIRST.indexOf(column.verdicts[b]) })),
      ...keys.values.map((column) => ({ title: column.name, right: true, values: column, order: byValue(column) })),
    ];

    const text = make("input", { type: "search", autocomplete: "off" });
    const verdict = make("select", {}, make("option", { value: "", textContent: "any" }));
    for (const letter of WORST_FIRST) {
      const count = worst.filter((one) => WORST_FIRST[one] === letter).length;
      if (count && keys.verdicts.length) verdict.append(make("option", { value: letter, textContent: `${VERDICTS[letter][1]} (${count})` }));
    }
    const count = make("p", { className: "soft" });
    count.setAttribute("role", "status");
    const tools = make("div", { className: "tools" }, make("label", {}, "Key contains", text));
    if (keys.verdicts.length) tools.append(make("label", {}, keys.verdicts.length > 1 ? "Worst verdict" : "Verdict", verdict));
    tools.append(count);

    const heads = columns.map((column, index) => {
      const button = make("button", { type: "button" }, make("bdi", { textContent: column.title }));
      button.addEventListener("click", () => {
        sorted = { column: index, descending: sorted.column === index && !sorted.descending };
        update();
      });
      return make("th", { scope: "col", className: column.right ? "right" : "" }, button);
    });
    const body = make("tbody", {});
    const table = make("table", {}, make("caption", { className: "hidden", textContent: section.dataset.title }), make("thead", {}, make("tr", {}, ...heads)), body);
    const scroller = make("div", { className: "keys", tabIndex: 0 }, table);
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", section.dataset.title);
    const printed = make("p", { className: "on-paper soft" });
    section.append(tools, printed, scroller);

    const filler = (rows) => {
      const row = make("tr", { className: "filler" }, make("td", { colSpan: columns.length }));
      row.style.height = rows * ROW_HEIGHT + "px";
      row.setAttribute("aria-hidden", "true");
      return row;
    };
    const rowOf = (index, place) => {
      const name = make("bdi", { textContent: keys.names[index] });
      const link = keys.links[index];
      const head = make("th", { scope: "row", title: keys.names[index] }, link ? make("a", { href: "#" + link }, name) : name);
      const cells = columns.slice(1).map((column) => cellOf(column, index, keys));
      const row = make("tr", {}, head, ...cells);
      row.setAttribute("aria-rowindex", place + 2);
      return row;
    };
    const draw = (least) => {
      const from = least ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW_HEIGHT) - 10);
      const to = Math.min(shown.length, least || from + Math.ceil(scroller.clientHeight / ROW_HEIGHT) + 20);
      const rows = shown.slice(from, to).map((index, place) => rowOf(index, from + place));
      body.replaceChildren(filler(from), ...rows, filler(least ? 0 : shown.length - to));
    };
    function update() {
      const wanted = text.value.trim().toLowerCase();
      shown = all.filter((index) => (!wanted || lower[index].includes(wanted)) && (!verdict.value || WORST_FIRST[worst[index]] === verdict.value));
      if (sorted.column >= 0) {
        const order = columns[sorted.column].order;
        shown.sort((a, b) => (sorted.descending ? order(b, a) : order(a, b)) || a - b);
      }
      heads.forEach((head, index) => {
        if (index === sorted.column) head.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
        head.firstChild.lastChild.textContent = columns[index].title + (index !== sorted.column ? "" : sorted.descending ? " ▾" : " ▴");
      });
      table.setAttribute("aria-rowcount", shown.length + 1);
      count.textContent = shown.length === all.length ? `${all.length} keys` : `${shown.length} of ${all.length} keys`;
      scroller.scrollTop = 0;
      draw();
    }
    let asked = false;
    scroller.addEventListener("scroll", () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(); });
    });
    text.addEventListener("input", update);
    verdict.addEventListener("change", update);
    addEventListener("beforeprint", () => {
      const rows = Math.min(shown.length, ROWS_ON_PAPER);
      printed.textContent = `${rows} of ${all.length} keys are printed.`;
      draw(rows);
    });
    addEventListener("afterprint", () => draw());
    update();
  }

  function byText(names) {
    const order = new Intl.Collator("en", { numeric: true }).compare;
    return (a, b) => order(names[a], names[b]);
  }

  // Numbers in their order, keys without a value behind them.
  function byValue({ numbers, texts }) {
    const rank = (index) => (numbers[index] === null ? 1 : 0);
    return (a, b) => rank(a) - rank(b) || numbers[a] - numbers[b] || String(texts[a]).localeCompare(String(texts[b]));
  }

  function cellOf(column, index, keys) {
    if (column.verdicts) {
      const [sign, word] = VERDICTS[column.verdicts[index]];
      return make("td", {}, make("span", { className: "verdict " + word, textContent: `${sign} ${word}` }));
    }
    const text = column.values ? column.values.texts[index] : String(keys.states[index]);
    return make("td", { className: "right", title: text }, make("bdi", { textContent: text }));
  }

  // ---- the page ----

  for (const section of document.querySelectorAll(".keys-of")) drawKeys(section);
  for (const button of document.querySelectorAll("button.open-all")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const all = [...button.closest(".card").querySelectorAll("details")];
      const open = !all.every((one) => one.open);
      for (const one of all) one.open = open;
    });
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target && target.closest("details");
    if (closed) closed.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();
  document.addEventListener("toggle", drawOpen, true);
  addEventListener("beforeprint", () => redrawFor(WIDTH_ON_PAPER));
  addEventListener("afterprint", () => redrawFor());
  drawOpen();
  document.documentElement.dataset.ready = "yes";
})();

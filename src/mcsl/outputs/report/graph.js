// Draws the graph into an SVG element and returns what the page may do with it.
function drawGraph(drawing, graph, variables, edges, { choose, tip }) {
  const [margin, head] = [16, 9];
  const moved = graph.centres.map(() => [0, 0]);
  const centre = (k) => [graph.centres[k][0] + moved[k][0], graph.centres[k][1] + moved[k][1]];
  // A small graph is not blown up to fill the room.
  const [width, height] = [Math.max(graph.width + 2 * margin, drawing.clientWidth / 1.4), Math.max(graph.height + 2 * margin, drawing.clientHeight / 1.4)];
  const whole = { x: (graph.width - width) / 2, y: (graph.height - height) / 2, width, height };
  let view = { ...whole };
  let chosen = null;
  const [edgeLayer, nodeLayer] = [shape("g"), shape("g")];
  drawing.append(edgeLayer, nodeLayer);

  const place = new Map(variables.map((variable, k) => [variable.name, k]));
  const known = new Map(edges.map((edge) => [`${place.get(edge.cause)} ${place.get(edge.effect)}`, edge]));
  const arrows = graph.routes.map(([cause, effect, route]) => {
    const edge = known.get(`${cause} ${effect}`);
    const strength = Math.min(Math.max(2 * (edge.confidence ?? 1) - 1, 0), 1);
    const parts = {
      reach: shape("path", { class: "reach" }),
      shaft: shape("path", { class: "shaft", "stroke-width": (1 + 1.8 * strength).toFixed(2) }),
      head: shape("path", { class: "head" }),
    };
    const group = shape("g", { class: "edge", "fill-opacity": 0.5 + 0.5 * strength, "stroke-opacity": 0.5 + 0.5 * strength }, ...Object.values(parts));
    group.addEventListener("pointermove", (event) => tip(event, edgeWords(edge)));
    group.addEventListener("pointerleave", () => tip(null));
    edgeLayer.append(group);
    return { cause, effect, route, edge, group, parts };
  });

  const nodes = variables.map((variable, k) => {
    const [width, height] = graph.sizes[k];
    const lines = graph.labels[k];
    const text = shape("text", {}, ...lines.map((line, i) => shape("tspan", { x: 0, y: (i - (lines.length - 1) / 2) * 16 }, line)));
    const group = shape("g", { class: "node", tabindex: 0, role: "button", "aria-label": variable.name, "data-variable": k },
      shape("rect", { x: -width / 2, y: -height / 2, width, height, rx: 9 }), text);
    nodeLayer.append(group);
    return { group, text, width };
  });
  for (const { text, width } of nodes) {
    const length = text.getBBox().width;
    if (length > width - 10) text.style.fontSize = `${Math.max((13 * (width - 10)) / length, 5)}px`;
  }

  // A curve x(y) through the waypoints that overshoots none of them and is upright at both ends.
  function curve(points) {
    const slopes = points.map((_, k) => {
      if (k === 0 || k === points.length - 1) return 0;
      const [before, after] = [k - 1, k].map((i) => (points[i + 1][0] - points[i][0]) / (points[i + 1][1] - points[i][1] || 1e-9));
      return before * after > 0 ? (2 * before * after) / (before + after) : 0;
    });
    let path = `M${points[0].join()}`;
    for (let k = 1; k < points.length; k++) {
      const third = (points[k][1] - points[k - 1][1]) / 3;
      path += `C${points[k - 1][0] + slopes[k - 1] * third},${points[k - 1][1] + third} ${points[k][0] - slopes[k] * third},${points[k][1] - third} ${points[k].join()}`;
    }
    return path;
  }

  // Where the line from the middle of a box to another point leaves the box.
  function border(k, [x, y]) {
    const [cx, cy] = centre(k);
    const [dx, dy] = [x - cx, y - cy];
    const scale = 1 / Math.max(Math.abs(dx) / (graph.sizes[k][0] / 2), Math.abs(dy) / (graph.sizes[k][1] / 2), 1e-9);
    return scale < 1 ? [cx + dx * scale, cy + dy * scale] : [cx, cy];
  }

  function drawEdge({ cause, effect, route, parts }) {
    const last = route.length - 1;
    const points = route.map(([x, y], k) => [0, 1].map((axis) => [x, y][axis] + (moved[cause][axis] * (last - k)) / last + (moved[effect][axis] * k) / last));
    const downwards = points.every((point, k) => k === 0 || point[1] > points[k - 1][1]) && points[last][1] - points[0][1] > 2 * head;
    let [tip, from] = [points[last], [points[last][0], points[last][1] - 1]];
    if (!downwards) [tip, from] = [border(effect, centre(cause)), border(cause, centre(effect))];
    const length = Math.hypot(tip[0] - from[0], tip[1] - from[1]) || 1;
    const [ux, uy] = [(tip[0] - from[0]) / length, (tip[1] - from[1]) / length];
    const base = [tip[0] - ux * head, tip[1] - uy * head];
    const path = downwards ? curve([...points.slice(0, last), [base[0], base[1] + 1]]) : `M${from.join()}L${base.join()}`;
    parts.shaft.setAttribute("d", path);
    parts.reach.setAttribute("d", path);
    parts.head.setAttribute("d", `M${tip.join()}L${base[0] - uy * head * 0.42},${base[1] + ux * head * 0.42}L${base[0] + uy * head * 0.42},${base[1] - ux * head * 0.42}Z`);
  }

  function drawNode(k) {
    nodes[k].group.setAttribute("transform", `translate(${centre(k).join()})`);
    arrows.filter((arrow) => arrow.cause === k || arrow.effect === k).forEach(drawEdge);
  }

  function look(next) {
    view = next;
    drawing.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  function toGraph(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
  }

  function zoom(factor, about = { x: view.x + view.width / 2, y: view.y + view.height / 2 }) {
    const scale = Math.min(Math.max(view.width / factor, whole.width / 40), whole.width * 3) / view.width;
    look({ x: about.x + (view.x - about.x) * scale, y: about.y + (view.y - about.y) * scale, width: view.width * scale, height: view.height * scale });
  }

  function emphasise(k) {
    const shown = arrows.filter((arrow) => !arrow.group.classList.contains("hidden"));
    const causes = new Set(shown.filter((arrow) => arrow.effect === k).map((arrow) => arrow.cause));
    const effects = new Set(shown.filter((arrow) => arrow.cause === k).map((arrow) => arrow.effect));
    nodes.forEach(({ group }, i) => {
      group.classList.toggle("chosen", i === k);
      group.classList.toggle("cause", causes.has(i));
      group.classList.toggle("effect", effects.has(i));
      group.classList.toggle("dim", k !== null && i !== k && !causes.has(i) && !effects.has(i));
      group.setAttribute("aria-pressed", i === chosen);
    });
    for (const { group, cause, effect } of arrows) {
      group.classList.toggle("cause", effect === k);
      group.classList.toggle("effect", cause === k);
      group.classList.toggle("dim", k !== null && cause !== k && effect !== k);
    }
  }

  let grip = null;
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    const node = event.target.closest(".node");
    grip = { k: node ? Number(node.dataset.variable) : null, start: toGraph(event), clientX: event.clientX, clientY: event.clientY, far: false };
    grip.before = node ? [...moved[grip.k]] : { ...view };
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!grip) return;
    grip.far ||= Math.hypot(event.clientX - grip.clientX, event.clientY - grip.clientY) > 3;
    if (!grip.far) return;
    tip(null);
    const now = toGraph(event);
    if (grip.k === null) {
      look({ ...view, x: view.x + grip.start.x - now.x, y: view.y + grip.start.y - now.y });
    } else {
      moved[grip.k] = [grip.before[0] + now.x - grip.start.x, grip.before[1] + now.y - grip.start.y];
      drawNode(grip.k);
    }
  });
  drawing.addEventListener("pointerup", () => {
    if (grip && !grip.far) choose(grip.k);
    grip = null;
  });
  drawing.addEventListener("pointercancel", () => (grip = null));
  drawing.addEventListener("wheel", (event) => {
    // Without a key the wheel scrolls the page, as everywhere.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), toGraph(event));
  }, { passive: false });
  nodes.forEach(({ group }, k) => {
    group.addEventListener("pointerenter", () => grip || emphasise(k));
    group.addEventListener("pointerleave", () => grip || emphasise(chosen));
    group.addEventListener("keydown", (event) => {
      const next = { ArrowUp: arrows.find((a) => a.effect === k)?.cause, ArrowDown: arrows.find((a) => a.cause === k)?.effect }[event.key];
      if (event.key === "Enter" || event.key === " ") choose(k);
      else if (event.key === "Escape") choose(null);
      else if (event.key === "+" || event.key === "=") zoom(1.25);
      else if (event.key === "-") zoom(0.8);
      else if (next !== undefined) nodes[next].group.focus();
      else return;
      event.preventDefault();
    });
  });

  variables.forEach((_, k) => drawNode(k));
  look(whole);
  return {
    zoom,
    reset() {
      moved.forEach((shift) => shift.fill(0));
      variables.forEach((_, k) => drawNode(k));
      look({ ...whole });
    },
    mark(k) {
      chosen = k;
      emphasise(k);
    },
    hideBelow(least) {
      for (const { group, edge } of arrows) group.classList.toggle("hidden", !sureEnough(edge, least));
      emphasise(chosen);
    },
  };
}

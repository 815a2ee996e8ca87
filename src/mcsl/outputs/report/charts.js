const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const shape = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// Children that are text become text nodes, so that no name is ever read as markup.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function figure(value, digits = 3) {
  if (value === null || value === undefined || value === "") return "";
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  const size = Math.abs(number);
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? number.toExponential(1) : String(Number(number.toPrecision(digits)));
}

function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => (first + k) * step);
}

// As many digits as tell a tick from its neighbours.
function labelled(values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  return values.map((value) => {
    const digits = Math.ceil(Math.log10(Math.max(Math.abs(value), step) / step) + 1e-9) + 1;
    return digits > 3 && digits < 10 ? String(Number(value.toPrecision(digits))) : figure(value);
  });
}

// Lines are {x, y, name}, the band {x, low, high}, points {x, y}; `log` takes the y axis to powers of ten.
function chart({ lines = [], band = null, points = null, log = false, zero = false, x: xName, y: yName, say }) {
  const [width, height, left, right, top, bottom] = [340, 200, 52, 10, 20, 36];
  const up = (value) => (log ? Math.log10(Number(value)) : Number(value));
  const xs = [...lines, ...(points ? [points] : [])].flatMap((part) => part.x).filter(Number.isFinite);
  const ys = [...lines.flatMap((line) => line.y), ...(band ? [...band.low, ...band.high] : []), ...(points ? points.y : [])]
    .map(up).filter(Number.isFinite);
  const reach = (values) => {
    const [low, high] = [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
    return high > low ? [low, high] : values.length ? [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2] : [0, 1];
  };
  const [x0, x1] = reach(xs);
  const [y0, y1] = reach(ys);
  const px = (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right);
  const py = (value) => height - bottom - ((value - y0) / (y1 - y0)) * (height - top - bottom);
  const at = (x, y) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`;
  const path = (x, y) => {
    let pen = "M";
    return x.map((value, k) => {
      const height = up(y[k]);
      if (!Number.isFinite(height)) { pen = "M"; return ""; }
      const step = pen + at(value, height);
      pen = "L";
      return step;
    }).join("");
  };
  const body = shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": say });
  const levels = log ? ticks(y0, y1, 4).filter(Number.isInteger) : ticks(y0, y1, 4);
  const levelNames = log ? levels.map((level) => figure(10 ** level)) : labelled(levels);
  for (const [k, level] of levels.entries()) {
    body.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: py(level), y2: py(level) }));
    body.append(shape("text", { x: left - 6, y: py(level) + 4, "text-anchor": "end" }, levelNames[k]));
  }
  const marks = ticks(x0, x1, 5);
  for (const [k, name] of labelled(marks).entries())
    body.append(shape("text", { x: px(marks[k]), y: height - bottom + 14, "text-anchor": "middle" }, name));
  if (zero && y0 < 0 && y1 > 0)
    body.append(shape("line", { class: "zero", x1: left, x2: width - right, y1: py(0), y2: py(0) }));
  if (band) {
    const edge = [...band.x.map((x, k) => at(x, up(band.high[k]))), ...band.x.map((x, k) => at(x, up(band.low[k]))).reverse()];
    body.append(shape("polygon", { class: "band", points: edge.join(" ") }));
  }
  if (points) for (const [k, x] of points.x.entries())
    body.append(shape("circle", { class: "point", cx: px(x).toFixed(1), cy: py(points.y[k]).toFixed(1), r: 2.2 }));
  lines.forEach((line, k) => body.append(shape("path", { class: k ? "line second" : "line", d: path(line.x, line.y) })));
  body.append(shape("text", { x: 4, y: 12 }, shortened(yName, 48)));
  body.append(shape("text", { x: width - right, y: height - 5, "text-anchor": "end" }, shortened(xName, 48)));
  return body;
}

const shortened = (name, most) => ([...name].length > most ? [...name].slice(0, most - 1).join("") + "…" : name);

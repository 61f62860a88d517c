// A canvas without a screen, and a page that answers its reports: late, where a walk says so.
const LAWS = ["spectrum", "alpha", "decay", "c", "rank"];
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
function header(page) {
  const { spec, look } = page,
    given = Boolean(spec.formula || spec.grid),
    family = given ? "given" : spec.spectrum;
  const count = spec.rank ?? 64,
    sigma = given ? [0.7, 0.2, 0.1, 0.05] : (spec.sigma ?? c.sigmaOf({ ...spec, family }, count));
  const rest = Object.fromEntries(rests.map((name) => [name, spec[name]]));
  const { k, u, v, tolerance, error, map, ...shown } = look;
  return {
    subject: JSON.stringify([rest, shown.centred]),
    editable: !given,
    family,
    sigma: [...sigma],
    list: spec.sigma,
    m: spec.m_h,
    whole: null,
    ...Object.fromEntries(LAWS.map((name) => [name, spec[name]])),
    k,
    u,
    v,
    chosen_tolerance: tolerance,
    own_tolerance: 1e-10,
    error,
    map,
    rest,
    shown,
    limits,
    beyond: 0,
    centred: shown.centred,
    coarse: 1,
    exact: null,
    trained: [],
  };
}
function answer(page, view) {
  const said = header(page),
    functions = { shape: [said.sigma.length, 4], values: new Float32Array(4 * said.sigma.length) };
  const arrays = {
    phi: functions,
    psi: functions,
    floor: { shape: [4, 33], values: new Float32Array(132) },
  };
  view.exchange.answer({ header: said, arrays }, view.exchange);
}
function taken(page, { edit = {}, at = {}, ...looks }) {
  const { m, ...fields } = edit;
  Object.assign(page.spec, structuredClone(fields), m === undefined ? {} : { m_h: m });
  Object.assign(page.look, looks, at);
}
function opened(page) {
  const view = Object.assign(Object.create(c.Design.prototype), {
    history: new c.History(),
    probed: { sent: [] },
  });
  view.updateScales = () => (view.range = view.goal = { low: 1e-12, high: 100 });
  view.invalidate = () => {};
  view.exchange = new c.Exchange(view);
  view.setStateValue = (name, { changes }) => {
    const [, report] = changes.at(-1);
    page.reports.push(report);
    taken(page, report);
  };
  answer(page, view);
  return view;
}
const DEEDS = {
  dot: (view, i, x) => view.editable && view.setSigma([[i % view.design.sigma.length, x]]),
  m: (view, i) => view.setM(1 + i),
  k: (view, i) => view.choose(1 + (i % 3)),
  at: (view, i, x) => (view.at = { u: x, v: 1 - x }),
  tolerance: (view, i, x) => view.setTolerance(i % 2 ? x : null),
  error: (view, i, x) => view.setError(x),
  map: (view, i) => (view.choice = ["kept", "residual", "term"][i % 3]),
  slope: (view, i, x) =>
    view.line?.grab &&
    view.setParameter({ [c.lawOf(view.line.kind).parameter]: 0.1 + 0.4 * x }, { line: view.line }),
};
function walk({ spec, look, deeds }) {
  const page = { spec, look, reports: [] },
    view = opened(page),
    states = [];
  const now = () => structuredClone({ spec: page.spec, look: page.look });
  let at = states.push(now()) - 1;
  return deeds.map(([deed, i, x, change, late]) => {
    const by = { undo: -1, redo: 1 }[deed];
    if (by) {
      view.step(by);
      at = Math.min(states.length - 1, Math.max(0, at + by));
    } else if (deed === "page") {
      answer(page, view);
      Object.assign(page.spec, structuredClone(change.spec ?? {}));
      Object.assign(page.look, change.look ?? {});
    } else {
      answer(page, view); // the picture that is edited is that of the last state
      DEEDS[deed](view, i, x);
      view.commit();
    }
    if (!by && !same(now(), states[at]))
      at = states.splice(at + 1, Infinity, now()) && states.length - 1;
    if (!late || deed === "page") answer(page, view);
    return {
      page: now(),
      wanted: states[at],
      seen: late ? null : c.stateOf(view),
      reports: page.reports.splice(0),
    };
  });
}
return walk(values);

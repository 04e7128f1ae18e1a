const { facts, say, call, signOut } = globalThis.portal;
const { make, curve, ring, tile, meter, badge } = globalThis.drawing;
const webui = '/api/webui/aggregator';
const everyMs = 15_000;
const at = (id) => document.getElementById(id);
/** Values since the page was opened, for its curves. */
const courses = { sessions: [], in_use: [], nodes_up: [], failed_logins: [] };
const mostPoints = 60;

/** Reads all items of a list, page by page. An unreadable list has the reason. */
async function listOf(path) {
  const items = [];
  for (let next = ''; next !== null; ) {
    const cursor = next && `&cursor=${encodeURIComponent(next)}`;
    const page = await call('GET', `${webui}/${path}?limit=500${cursor}`);
    items.push(...page.items);
    next = page.next;
  }
  return items;
}

const orError = (work) => work.catch((problem) => ({ error: problem.code ?? 'unreachable' }));
const errorText = ({ error }) => say(error === 'forbidden' ? 'forbidden' : 'part_failed', { code: error });

function ageOf(moment) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(moment)) / 1000));
  if (seconds < 120) return say('seconds_short', { n: seconds });
  if (seconds < 7200) return say('minutes_short', { n: Math.round(seconds / 60) });
  return say('hours_short', { n: Math.round(seconds / 3600) });
}

function nodeRow({ name, state, status, circuit, response_time_ms: took, certificate }) {
  const cell = (key, ...content) => make('td', { 'data-label': say(key) }, ...content);
  return make(
    'tr',
    {},
    cell('node', name),
    cell('state', badge(state === 'fail' && status === 'unauthorized' ? status : state)),
    cell('circuit', badge(circuit)),
    cell('response', took === null ? '–' : say('milliseconds', { n: took })),
    cell('certificate', certificate ? say('days', { n: certificate.days_left }) : '–'),
  );
}

function farmPart(farm, nodes) {
  const columns = ['node', 'state', 'circuit', 'response', 'certificate'];
  const head = make('tr', {}, ...columns.map((key) => make('th', { scope: 'col' }, say(key))));
  const own = nodes.filter(({ farm_id: id }) => id === farm.id).map(nodeRow);
  const table = make(
    'table',
    { class: 'nodes', 'aria-label': farm.name },
    make('thead', {}, head),
    make('tbody', {}, ...own),
  );
  return make('div', {}, make('h4', {}, farm.name, badge(farm.state)), ...(own.length > 0 ? [table] : []));
}

function sitePart(site, farms, nodes) {
  const hasNodes = !Array.isArray(nodes) || nodes.some(({ site_id: id }) => id === site.id);
  const isServing = ['pass', 'fail'].includes(site.state);
  const own = Array.isArray(farms) ? farms.filter(({ site_id: id }) => id === site.id) : [];
  const age = site.fetched_at ? say('data_age', { age: ageOf(site.fetched_at) }) : say('no_data');
  const parts = Array.isArray(nodes)
    ? own.map((farm) => farmPart(farm, nodes))
    : [make('p', {}, errorText(nodes))];
  return make(
    'article',
    { class: 'plate' },
    make(
      'div',
      { class: 'heading' },
      make('h3', {}, site.name),
      badge(site.state),
      make('span', { class: 'quiet' }, age),
    ),
    make(
      'div',
      { class: 'meters' },
      meter(
        say('nodes_up'),
        site.dispatchers_up,
        site.dispatchers,
        isServing && site.dispatchers_up < site.dispatchers,
      ),
      meter(say('in_use'), site.in_use, site.workplaces),
      meter(say('sessions'), site.sessions, site.workplaces),
    ),
    ...(hasNodes ? parts : [make('p', { class: 'quiet' }, say('no_nodes'))]),
  );
}

function drawTiles({ counters, sites, failed_logins_24h: failed }) {
  if (counters.error) return at('tiles').replaceChildren(make('li', { class: 'tile' }, errorText(counters)));
  const up = Array.isArray(sites) ? sites.reduce((sum, site) => sum + site.dispatchers_up, 0) : 0;
  const { sessions, workplaces: all, workplaces_in_use: used } = counters;
  const now = { sessions, in_use: used, nodes_up: up, failed_logins: Number.isInteger(failed) ? failed : 0 };
  for (const [key, value] of Object.entries(now)) courses[key] = [...courses[key], value].slice(-mostPoints);
  const { admin_sessions: admin, user_sessions: user, dispatchers, farms } = counters;
  at('tiles').replaceChildren(
    tile('sessions', sessions, say('sessions_hint', { admin, user }), curve(courses.sessions)),
    tile('in_use', used, say('in_use_hint', { all }), ring(used, all)),
    tile(
      'nodes_up',
      up,
      say('nodes_hint', { all: dispatchers, sites: counters.sites, farms }),
      ring(up, dispatchers),
    ),
    tile('failed_logins', now.failed_logins, say('failed_logins_hint'), curve(courses.failed_logins)),
  );
}

function drawSites({ sites }, farms, nodes) {
  if (!Array.isArray(sites)) return at('sites').replaceChildren(make('p', {}, errorText(sites)));
  const empty = make('p', { class: 'plate quiet' }, say('no_sites'));
  const parts = sites.map((site) => sitePart(site, farms, nodes));
  at('sites').replaceChildren(...(parts.length > 0 ? parts : [empty]));
}

function drawRows(id, rows, empty, show) {
  const items = Array.isArray(rows)
    ? rows.map((row) => make('li', {}, ...show(row)))
    : [make('li', {}, errorText(rows))];
  at(id).replaceChildren(...(items.length > 0 ? items : [make('li', { class: 'quiet' }, say(empty))]));
}

const clock = new Intl.DateTimeFormat(facts.language, { timeStyle: 'medium' });
const moment = new Intl.DateTimeFormat(facts.language, { dateStyle: 'medium', timeStyle: 'short' });
let asOf = '';

async function refresh() {
  const [dashboard, farms, nodes] = await Promise.all([
    call('GET', `${webui}/dashboard/admin`),
    orError(listOf('farms')),
    orError(listOf('dispatchers')),
  ]);
  drawTiles(dashboard);
  drawSites(dashboard, farms, nodes);
  drawRows(
    'certificates',
    dashboard.certificates_expiring,
    'no_certificates',
    ({ name, site_name: site, days_left: n }) => [
      make('span', {}, `${site} · ${name}`),
      make('span', { class: 'quiet' }, say('days', { n })),
    ],
  );
  drawRows('failures', dashboard.recent_failures, 'no_failures', ({ at: when, message }) => [
    make('span', {}, message),
    make('span', { class: 'quiet' }, moment.format(new Date(when))),
  ]);
  asOf = clock.format(new Date());
  at('freshness').textContent = say('as_of', { time: asOf, seconds: everyMs / 1000 });
  at('problem').hidden = true;
}

/** An ended session leads to the sign-in page; other failures are retried automatically. */
function noteFailure({ status, code }) {
  if (status === 401) return location.assign('/signin?next=/status');
  at('problem').textContent = say(code === 'forbidden' ? 'forbidden' : 'unreachable');
  at('problem').hidden = false;
  if (asOf) at('freshness').textContent = say('stale', { time: asOf });
}

/** A hidden page sends no requests. */
async function goOn() {
  if (!document.hidden) await refresh().catch(noteFailure);
  setTimeout(goOn, everyMs);
}

document.addEventListener('visibilitychange', () => !document.hidden && refresh().catch(noteFailure));
at('sign-out').addEventListener('click', signOut);
at('freshness').textContent = say('reading');
await goOn();

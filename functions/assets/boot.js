/**
 * Runs before the scripts of the page are loaded: applies the chosen colour scheme, and sends the first requests at the
 * same time as the files are loaded.
 */
const facts = JSON.parse(document.getElementById('facts').textContent);
try {
  const scheme = localStorage.getItem('scheme');
  if (scheme === 'light' || scheme === 'dark') {
    document.documentElement.style.colorScheme = scheme;
    for (const color of document.querySelectorAll('meta[name=theme-color]'))
      color.media = color.dataset.scheme === scheme ? 'all' : 'not all';
  }
} catch {
  // The browser does not store anything for this page; the scheme of the system applies.
}
const read = (path, options = {}) =>
  fetch(path, {
    ...options,
    headers: { accept: 'application/json', 'accept-language': facts.language, ...options.headers },
  });
if (facts.first) {
  const token = read('/signin/token', { method: 'POST' }).then((answer) =>
    answer.ok ? answer.json() : null,
  );
  const first = facts.first.map((path) => [
    path,
    token.then((given) => (given ? read(path, { headers: { 'x-auth-token': given.token } }) : null)),
  ]);
  // Failures are reported by the request that is sent again.
  for (const answer of [token, ...first.map(([, answer]) => answer)]) answer.catch(() => undefined);
  globalThis.started = { token, first: new Map(first) };
}

/** Shared code of the pages: the data from the server, and API calls with a token that stays in memory. */
const facts = JSON.parse(document.getElementById('facts').textContent);
/** A promise, so that concurrent calls share one token request. */
let token;

/** A text of the page's language, with `{name}` filled in. */
const say = (key, values = {}) =>
  (facts.texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));

/** @throws {{ status: number, code: string, title?: string, fault?: { code: string, detail: string }, retryAfter: number }} what a refusal says */
async function send(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      'accept-language': facts.language,
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const content = text && answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {};
  if (answer.ok) return content;
  throw {
    status: answer.status,
    code: content.code ?? 'internal',
    title: content.title,
    fault: content.errors?.[0],
    retryAfter: Number(answer.headers.get('retry-after') ?? 0),
  };
}

/** Returns the token of this page and replaces an expired one. */
function pageToken(old) {
  if (token !== undefined && token !== old) return token;
  const forget = (problem) => {
    token = undefined;
    throw problem;
  };
  token = send('POST', '/signin/token').then((answer) => answer.token, forget);
  return token;
}

/** Calls the API as the signed-in user. */
async function call(method, path, body) {
  const asked = pageToken();
  try {
    return await send(method, path, body, { 'x-auth-token': await asked });
  } catch (problem) {
    if (problem.code !== 'invalid_token') throw problem;
    return send(method, path, body, { 'x-auth-token': await pageToken(asked) });
  }
}

async function signOut() {
  await send('POST', '/signout').catch((problem) => {
    // The session had already ended.
    if (problem.status !== 401) throw problem;
  });
  location.assign('/signin');
}

globalThis.portal = { facts, say, send, call, signOut };

/** The reference: Swagger UI, which calls the API with a token that it never shows. */
const { facts, say, send, signOut } = globalThis.portal;
/** What stands in curl lines where the token goes; shells fill it in. */
const placeholder = '$TOKEN';
/** A token is replaced before it ends, so that nothing is refused in between. */
const marginS = 60;
let held;

async function liveToken() {
  if (held && Date.now() < held.until) return held.token;
  try {
    const { token, expires_in: seconds } = await send('POST', '/signin/token');
    held = { token, until: Date.now() + (seconds - marginS) * 1000 };
    return token;
  } catch (problem) {
    if (problem.status === 401) location.assign('/signin?next=%2Fapi%2Fdocs%2F');
    throw problem;
  }
}

/** The request as it is sent; the one that is shown keeps the placeholder. */
async function withToken(request) {
  const isOwn = new URL(request.url, location.href).origin === location.origin;
  if (request.headers?.['X-Auth-Token'] !== placeholder) return request;
  const { 'X-Auth-Token': _, ...headers } = request.headers;
  if (isOwn) headers['X-Auth-Token'] = await liveToken();
  return { ...request, headers };
}

/** One line for a POSIX shell: everything quoted, but for the token, which the shell is to fill in. */
function curlOf(request) {
  const { url, method, headers, body } = request.toJS();
  const quoted = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;
  const fields = Object.entries(headers ?? {}).map(([name, value]) =>
    value === placeholder ? `-H "${name}: ${placeholder}"` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const content =
    body === undefined || body === null
      ? []
      : [`-d ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`];
  const address = quoted(new URL(url, location.href).href);
  return [`curl -X ${method.toUpperCase()} ${address}`, ...fields, ...content].join(' \\\n  ');
}

function curlCommand({ React }) {
  const h = React.createElement;
  return function CurlCommand({ request }) {
    const line = curlOf(request);
    const [label, setLabel] = React.useState(say('copy'));
    const copy = async () => {
      await navigator.clipboard.writeText(line);
      setLabel(say('copied'));
    };
    return h(
      'div',
      { className: 'curl-command' },
      h('h4', null, 'curl'),
      h('pre', { className: 'curl', tabIndex: 0 }, line),
      h('button', { type: 'button', className: 'plain copy', onClick: copy }, label),
    );
  };
}

/** There is nothing to authorize: whoever sees the page is signed in. */
const plugin = () => ({
  wrapComponents: {
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
    curl: (_, system) => curlCommand(system),
  },
});

function loadScript(address) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const script = Object.assign(document.createElement('script'), {
    src: address,
    onload: resolve,
    onerror: reject,
  });
  document.head.append(script);
  return promise;
}

async function start() {
  const [script, style] = facts.files;
  // Before our own style, which adjusts it.
  document.head.prepend(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: style }));
  await loadScript(script);
  const ui = globalThis.SwaggerUIBundle({
    url: '/api/openapi.json',
    domNode: document.getElementById('reference'),
    presets: [globalThis.SwaggerUIBundle.presets.apis],
    plugins: [plugin],
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    tagsSorter: 'alpha',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    syntaxHighlight: { activated: false },
    validatorUrl: null,
    showMutatedRequest: false,
    requestInterceptor: withToken,
    onComplete: () => ui.preauthorizeApiKey('SessionToken', placeholder),
  });
}

function showFailure() {
  const problem = document.getElementById('problem');
  problem.textContent = say('not_loaded');
  problem.hidden = false;
}

document.getElementById('sign-out').addEventListener('click', signOut);
start().catch(showFailure);

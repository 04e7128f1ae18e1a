/** The API reference: Swagger UI, which calls the API with a token that is never displayed. */
const { facts, say, send, signOut } = globalThis.portal;
const reference = document.getElementById('reference');
/** Placeholder of the token in curl commands; the shell expands it. */
const placeholder = '$TOKEN';
/** A token is replaced before it expires, so that no request is rejected in between. */
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

/** The token of an ended session is not sent again. */
function forgetRefused(answer) {
  if (answer.status === 401) held = undefined;
  return answer;
}

/** The request that is sent. The displayed one keeps the placeholder. */
async function withToken(request) {
  const isOwn = new URL(request.url, location.href).origin === location.origin;
  if (request.headers?.['X-Auth-Token'] !== placeholder) return request;
  const { 'X-Auth-Token': _, ...headers } = request.headers;
  if (isOwn) headers['X-Auth-Token'] = await liveToken();
  return { ...request, headers };
}

/** A command for a POSIX shell: everything is quoted except the token variable, which the shell expands. */
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

/** Groups resources under the headings of their modules, which Swagger UI does not support. */
function groupedTag(Tag, { React, specSelectors, layoutSelectors }) {
  const h = React.createElement;
  const moduleOf = (tag) =>
    specSelectors
      .specJson()
      .get('x-tagGroups')
      ?.find((group) => group.get('tags').includes(tag))
      ?.get('name');
  return function GroupedTag(props) {
    const module = moduleOf(props.tag);
    const first = specSelectors
      .taggedOperations()
      .keySeq()
      .find((tag) => moduleOf(tag) === module);
    const purpose = h('small', null, facts.modules[module]);
    const heading = { className: 'module', id: `module-${module}` };
    const title = first === props.tag ? h('h2', heading, module, ' ', purpose) : null;
    // Filter results are shown immediately.
    const phrase = layoutSelectors.currentFilter();
    const docExpansion = phrase !== true && phrase ? 'list' : 'none';
    const getConfigs = () => ({ ...props.getConfigs(), docExpansion });
    return h(React.Fragment, null, title, h(Tag, { ...props, getConfigs }));
  };
}

/** The samples of an operation, one language at a time. */
function codeSamples({ React }) {
  const h = React.createElement;
  return function CodeSamples({ extensions }) {
    const samples = extensions.get('x-codeSamples')?.toJS() ?? [];
    const [chosen, choose] = React.useState(0);
    const [label, setLabel] = React.useState(say('copy_sample'));
    if (samples.length === 0) return null;
    const { source } = samples[chosen];
    const copy = async () => {
      await navigator.clipboard.writeText(source);
      setLabel(say('copied'));
    };
    const tab = ({ label: language }, at) =>
      h(
        'button',
        {
          key: language,
          type: 'button',
          className: 'plain',
          'aria-pressed': at === chosen,
          onClick: () => choose(at),
        },
        language,
      );
    return h(
      'div',
      { className: 'code-samples' },
      h('h4', null, say('samples')),
      h('div', { className: 'languages' }, samples.map(tab)),
      h('pre', { tabIndex: 0 }, source),
      h('button', { type: 'button', className: 'plain copy', onClick: copy }, label),
    );
  };
}

/** The success of the request before that of its dry run, although it has the greater number. */
function realFirst(Responses, { React }) {
  const isDryRun = (response) => response.get('x-dry-run') === true;
  const rank = (response, status) => Number(status) + (isDryRun(response) ? 99.5 : 0);
  return (props) => React.createElement(Responses, { ...props, responses: props.responses.sortBy(rank) });
}

/** Operations whose summary, address or id, or whose resource, has each of the words. */
function filterOperations(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (tag) => (operation) => {
    const described = operation.get('operation');
    const text = [tag, described.get('summary'), described.get('operationId'), operation.get('path')].join(
      ' ',
    );
    return words.every((word) => text.toLowerCase().includes(word));
  };
  return tags
    .map((resource, tag) => resource.update('operations', (all) => all.filter(matches(tag))))
    .filter((resource) => resource.get('operations').size > 0);
}

/** Elements inside a button are not accessible. The URL of the page still identifies the open operation. */
const plainName =
  (_, { React }) =>
  ({ text }) =>
    React.createElement('span', null, text);

/** No authorization dialog: readers of the page are signed in. */
const plugin = () => ({
  wrapComponents: {
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
    curl: (_, system) => curlCommand(system),
    OperationTag: groupedTag,
    DeepLink: plainName,
    OperationExt: (_, system) => codeSamples(system),
    ResponseExtension: () => () => null,
    responses: realFirst,
  },
  fn: { opsFilter: filterOperations },
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
    domNode: reference,
    presets: [globalThis.SwaggerUIBundle.presets.apis],
    plugins: [plugin],
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    showExtensions: true,
    syntaxHighlight: { activated: false },
    validatorUrl: null,
    showMutatedRequest: false,
    requestInterceptor: withToken,
    responseInterceptor: forgetRefused,
    onComplete: () => ui.preauthorizeApiKey('SessionToken', placeholder),
  });
}

/** Adds missing accessible names and makes scrollable areas reachable by keyboard. */
function nameFields() {
  for (const field of reference.querySelectorAll(':is(input, select, textarea):not([aria-label])')) {
    const parameter = field.closest('[data-param-name]')?.dataset.paramName;
    field.setAttribute('aria-label', parameter ?? (field.placeholder || say('body')));
  }
  // The page already has a main landmark that contains this element.
  reference.querySelector('main')?.setAttribute('role', 'none');
  for (const box of reference.querySelectorAll('pre:not([tabindex])')) box.tabIndex = 0;
}

function showFailure() {
  const problem = document.getElementById('problem');
  problem.textContent = say('not_loaded');
  problem.hidden = false;
}

new MutationObserver(nameFields).observe(reference, { childList: true, subtree: true });
document.getElementById('sign-out').addEventListener('click', signOut);
start().catch(showFailure);

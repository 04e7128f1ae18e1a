import { Reference, type SampleCall, type SampleParameter, type SampleValue } from './call.ts';

const indent = '  ';

/** A command for a POSIX shell. */
export function curlSample(call: SampleCall): string {
  const { method, server, credential, body, answer } = call;
  const hasBody = body !== undefined;
  const options = [
    ...(method === 'GET' || (method === 'POST' && hasBody) ? [] : [`-X ${method}`]),
    `"$${server}${addressOf(call, (name) => `$${name}`)}"`,
    ...(credential ? [`-H "${credential.header}: ${credential.prefix}$${credential.variable}"`] : []),
    ...(hasBody ? ["-H 'Content-Type: application/json'"] : []),
    ...(answer === 'bytes' ? ['-o answer'] : []),
    ...(hasBody ? ['-d @- <<JSON'] : []),
  ];
  const command = `curl ${options.join(` \\\n${indent}`)}`;
  return hasBody ? `${command}\n${heredocOf(body)}\nJSON\n` : `${command}\n`;
}

/** The shell replaces variables in the here-document, so its other special characters are escaped. */
function heredocOf(body: SampleValue): string {
  const mark = '\u0000';
  const text = JSON.stringify(
    body,
    (_, value: unknown) => (value instanceof Reference ? `${mark}${value.variable}` : value),
    2,
  );
  return text.replace(/[\\$`]/g, '\\$&').replaceAll('\\\\u0000', '$');
}

/** A module for the typed client, or a call with `fetch` if the client does not have the operation. */
export function typescriptSample(call: SampleCall): string {
  return call.client ? clientSample(call, call.client) : fetchSample(call);
}

function clientSample(call: SampleCall, client: 'call' | 'items'): string {
  const token = call.credential?.variable;
  const variables = ['URL: baseUrl', ...(token ? [tokenOf(token)] : []), ...namesIn(call)];
  const options = token && token !== 'MACHINE_TOKEN' ? '{ baseUrl, token }' : '{ baseUrl }';
  const asks = [
    ...objectOf('path', call.inPath),
    ...objectOf('query', call.inQuery),
    ...(call.body === undefined ? [] : [`body: ${literalOf(call.body, typescript)}`]),
  ];
  const headers = token === 'MACHINE_TOKEN' ? [`{ headers: { authorization: \`Bearer \${token}\` } }`] : [];
  const members =
    asks.length > 0 || headers.length > 0 ? [asks.length > 0 ? `{ ${asks.join(', ')} }` : '{}'] : [];
  const made = `portal.${client}(${[`'${call.id}'`, ...members, ...headers].join(', ')})`;
  const shown =
    client === 'items'
      ? `for await (const item of ${made}) console.log(item);`
      : `console.log(await ${made});`;
  return [
    "import { createPortalClient } from 'aggregator-portal/client';",
    '',
    fromEnvironment(variables),
    `const portal = createPortalClient(${options});`,
    shown,
    '',
  ].join('\n');
}

const tokenOf = (variable: string): string => `${variable}: token`;
const objectOf = (place: string, parameters: readonly SampleParameter[]): string[] => {
  const members = parameters.map(({ name, value }) => (value === undefined ? name : `${name}: '${value}'`));
  return members.length > 0 ? [`${place}: { ${members.join(', ')} }`] : [];
};
/** Part of the generated program. The portal does not read environment variables here. */
const environment = ['process', 'env'].join('.');
const fromEnvironment = (variables: readonly string[]): string =>
  `const { ${variables.map((name) => `${name} = ''`).join(', ')} } = ${environment};`;

function fetchSample(call: SampleCall): string {
  const { method, server, credential, body, answer } = call;
  const variables = [
    `${server}: baseUrl`,
    ...(credential ? [tokenOf(credential.variable)] : []),
    ...namesIn(call),
  ];
  const address = `\`\${baseUrl}${addressOf(call, (name) => `\${${name}}`)}\``;
  const headers = [
    ...(credential ? [`${quotedName(credential.header)}: \`${credential.prefix}\${token}\``] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literalOf(body, typescript, indent)})`]),
  ];
  const optionsText = options.length > 0 ? `, {\n${indent}${options.join(`,\n${indent}`)},\n}` : '';
  const shown = { json: 'await response.json()', none: 'response.status' };
  return [
    fromEnvironment(variables),
    `const response = await fetch(${address}${optionsText});`,
    `console.log(${answer === 'json' || answer === 'none' ? shown[answer] : 'await response.text()'});`,
    'export {};',
    '',
  ].join('\n');
}

/** A script for Python 3.8 or later without packages. */
export function pythonSample(call: SampleCall): string {
  const { method, server, credential, inPath, inQuery, body, answer } = call;
  const names = variablesOf([...inPath, ...inQuery]);
  const headers = [
    ...(credential ? [`"${credential.header}": ${credentialValue(credential)}`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const lines = [
    `f"{url}${addressOf(call, (name) => `{${name}}`)}"`,
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${literalOf(body, python, python.unit)}).encode()`]),
  ].map((line) => `${python.unit}${line},`);
  return [
    `import ${[...(body !== undefined || answer === 'json' ? ['json'] : []), 'os', 'urllib.request'].join(', ')}`,
    '',
    `url = os.environ["${server}"]`,
    ...names.map((name) => `${name} = os.environ["${name}"]`),
    'request = urllib.request.Request(',
    ...lines,
    ')',
    'with urllib.request.urlopen(request) as response:',
    `    print(${pythonAnswers[answer]})`,
    '',
  ].join('\n');
}

const pythonAnswers = {
  json: 'json.load(response)',
  text: 'response.read().decode()',
  bytes: 'len(response.read()), "bytes"',
  none: 'response.status',
};

const credentialValue = ({ prefix, variable }: NonNullable<SampleCall['credential']>): string =>
  prefix === '' ? `os.environ["${variable}"]` : `"${prefix}" + os.environ["${variable}"]`;

/** The names of the variables of parameters and of references in the body, without duplicates. */
const namesIn = ({ inPath, inQuery, body }: SampleCall): string[] => [
  ...new Set([...variablesOf([...inPath, ...inQuery]), ...referencesIn(body)]),
];

const variablesOf = (parameters: readonly SampleParameter[]): string[] =>
  parameters.filter(({ value }) => value === undefined).map(({ name }) => name);

/** The path and the query with variables. */
function addressOf({ path, inPath, inQuery }: SampleCall, variable: (name: string) => string): string {
  const shown = ({ name, value }: SampleParameter): string => value ?? variable(name);
  const filled = inPath.reduce((text, one) => text.replace(`{${one.name}}`, () => shown(one)), path);
  const query = inQuery.map((one) => `${one.name}=${shown(one)}`).join('&');
  return query ? `${filled}?${query}` : filled;
}

function referencesIn(value: SampleValue | undefined): string[] {
  if (value instanceof Reference) return [value.variable];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : [];
}

/** The JSON literals of a language. */
type Dialect = {
  unit: string;
  name: (member: string) => string;
  text: (value: string) => string;
  reference: (variable: string) => string;
  words: Readonly<Record<string, string>>;
};

const singleQuoted = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const quotedName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : singleQuoted(name));

const typescript: Dialect = {
  unit: indent,
  name: quotedName,
  text: singleQuoted,
  reference: (variable) => variable,
  words: { true: 'true', false: 'false', null: 'null' },
};

const python: Dialect = {
  unit: '    ',
  name: (member) => JSON.stringify(member),
  text: (value) => JSON.stringify(value),
  reference: (variable) => `os.environ["${variable}"]`,
  words: { true: 'True', false: 'False', null: 'None' },
};

/** Writes a literal with one member per line. The margin is that of the line on which the literal begins. */
function literalOf(value: SampleValue, dialect: Dialect, margin = ''): string {
  if (value instanceof Reference) return dialect.reference(value.variable);
  if (typeof value === 'string') return dialect.text(value);
  if (Array.isArray(value))
    return `[${value.map((item: SampleValue) => literalOf(item, dialect, margin)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return dialect.words[String(value)] ?? String(value);
  const members = Object.entries(value).map(
    ([name, inner]) => `${margin}${dialect.unit}${memberOf(name, inner, dialect, margin + dialect.unit)},`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${margin}}`;
}

function memberOf(name: string, value: SampleValue, dialect: Dialect, margin: string): string {
  const isShorthand = dialect === typescript && value instanceof Reference && value.variable === name;
  return isShorthand ? name : `${dialect.name(name)}: ${literalOf(value, dialect, margin)}`;
}

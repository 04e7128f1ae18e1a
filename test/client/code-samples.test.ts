import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, serveNode } from '../../shared/runtime/node/server.ts';
import { describedAs, document, everyOperation, type Registered } from '../contract/generated/described.ts';
import { createGround, type GroundWorks } from '../contract/generated/ground.ts';
import { type Credentials, createCredentials } from '../contract/support/credentials.ts';
import { allowOwnTokens } from '../contract/support/limits.ts';
import {
  type Language,
  type Outcome,
  type Run,
  type Sample,
  type SampleFolder,
  writeSamples,
} from '../support/documents/code-samples.ts';
import { accessKeys, type HealthPort, startHealthPort } from '../support/monitoring/health-port.ts';
import { adminPassword, type Json, startPortal, type TestPortal } from '../support/portal.ts';

const languages: readonly Language[] = ['curl', 'TypeScript', 'Python'];
const described: Json[] = Object.values<Json>(document.paths).flatMap(({ servers: _, ...verbs }) =>
  Object.values(verbs),
);
/** Samples of SCIM need a domain of an identity provider; test/api/identity/scim has its requests. */
const isRun = (id: string) => !id.startsWith('scim');
const samples: Sample[] = described
  .filter(({ operationId }) => isRun(operationId))
  .flatMap(({ operationId: id, 'x-codeSamples': own }) =>
    own.map(({ label, source }: Json) => ({ id, label, source })),
  );

let portal: TestPortal;
let serving: RunningServer;
let health: HealthPort;
let folder: SampleFolder;
let token: string;
let ground: GroundWorks;
let credentials: Credentials;
let common: Record<string, string>;

beforeAll(async () => {
  [portal, folder] = await Promise.all([startPortal(), writeSamples(samples)]);
  serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    log: portal.deps.log,
  });
  health = await startHealthPort(portal.databaseUrl);
  await allowOwnTokens(portal);
  token = await portal.login();
  const domains = await portal.send('GET /api/webui/aggregator/authenticators', { token });
  const authenticators = [domains.body.items[0].id];
  ground = createGround(portal, token, { 'site.create': { authenticators } });
  credentials = await createCredentials(portal, token);
  common = {
    URL: `http://127.0.0.1:${serving.port}`,
    HEALTH_URL: `https://${health.host}`,
    HEALTH_CHECK_ACCESS_KEY: accessKeys.check,
    METRICS_ACCESS_KEY: accessKeys.metrics,
    CURL_CA_BUNDLE: health.caFile,
    SSL_CERT_FILE: health.caFile,
    NODE_EXTRA_CA_CERTS: health.caFile,
    TOKEN: token,
    site_uri: await siteWithoutFarms(authenticators),
    SESSION: await sessionCookie(),
  };
}, 120_000);
afterAll(async () => {
  await health?.close();
  await serving?.close(1_000);
  await portal?.close();
  await folder?.remove();
});

/** Its lists are complete without a node. */
async function siteWithoutFarms(authenticators: string[]): Promise<string> {
  const body = { name: 'Without farms', uri: 'without-farms', authenticators };
  const { status } = await portal.send('POST /api/webui/aggregator/sites', { token, body });
  expect(status).toBe(201);
  return body.uri;
}

async function sessionCookie(): Promise<string> {
  const { headers } = await portal.send('POST /signin', {
    body: { username: 'admin', password: adminPassword, authSmallName: 'builtin' },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  return /^__Host-session=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
}

type Prepared = Run & { operation: Registered; path: string };

/** Creates the object of a sample, and sets the variables that the sample reads. */
async function prepare(operation: Registered): Promise<Prepared> {
  const { path, body } = await ground.of(operation);
  const template = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const members = Object.entries<Json>(body ?? {}).filter(([, value]) => typeof value === 'string');
  const query = describedAs(operation)
    .parameters.filter((one: Json) => one.in === 'query' && one.required)
    .map(({ name, schema }: Json) => [name, String(schema.examples?.[0] ?? 'x')]);
  const machine = credentials.of(operation).authorization?.replace(/^Bearer /, '');
  const env = {
    ...Object.fromEntries([...members.filter(([name]) => name.endsWith('_id')), ...query]),
    ...template.exec(path)?.groups,
    ...common,
    ...(machine !== undefined && { MACHINE_TOKEN: machine }),
  };
  return { id: operation.id, env, operation, path };
}

const statusesOf = (operation: Registered): string[] => Object.keys(describedAs(operation).responses);

describe('the code samples', () => {
  it('exist for every operation in each language', () => {
    expect(described.length).toBeGreaterThan(everyOperation.length);
    for (const own of described)
      expect(own['x-codeSamples'].map(({ label }: Json) => label)).toEqual(languages);
  });

  it.each(languages)('in %s have no syntax or type error', { timeout: 120_000 }, async (language) => {
    expect(await folder.syntaxFaults(language)).toBe('');
  });

  /**
   * Operations that need data of a dispatcher, a token or a digest in the path or query, or an object of another collection,
   * with their refusal.
   */
  const refused: Record<string, number> = {
    'agent.notify': 401,
    // No domain has an identity provider.
    'authenticator.getRegistration': 404,
    'authenticator.getSignInTest': 404,
    'authenticator.listIdentities': 404,
    'clientKey.list': 404,
    'identityProvider.start': 404,
    'connection.check': 404,
    'connection.get': 404,
    'group.listExternal': 409,
    'home.getFile': 404,
    'servicespool.policies': 404,
    'signIn.getFile': 404,
    'tunnel.begin': 403,
    'tunnel.end': 403,
    'user.showAccess': 404,
  };

  it.each(languages)('in %s of every GET succeed', { timeout: 240_000 }, async (language) => {
    const reads = everyOperation.filter(({ id, method }) => isRun(id) && method === 'GET');
    const prepared: Prepared[] = [];
    for (const operation of reads) prepared.push(await prepare(operation));
    const ofHealth = ['health.check', 'health.metrics'].map((id) => ({ id, env: common }));
    const outcomes = await folder.run(language, [...prepared, ...ofHealth]);
    const failed = outcomes.filter(({ status }) => status >= 400 || status < 0);
    // The nodes of the farms are unreachable, and a file has the digest of its content in its address. `fetch` does not
    // fail for a status.
    const byFetch =
      language === 'TypeScript'
        ? {}
        : {
            'identityProvider.finish': 422,
            'program.showConsent': 401,
            'console.getFile': 404,
            'docs.getFile': 404,
            'health.check': 503,
          };
    expect(Object.fromEntries(failed.map(({ id, status }) => [id, status]))).toEqual({
      ...refused,
      ...byFetch,
    });
    const lists = outcomes.filter(({ id }) => id.endsWith('.list') && id !== 'group.list');
    if (language === 'curl') for (const { output } of lists) expect(JSON.parse(output)).toBeDefined();
    else expect(outcomes.find(({ id }) => id === 'site.list')?.output).toContain('without-farms');
  });

  const kinds = ['site', 'role', 'maintenance_template', 'priority_group', 'farm', 'gateway', 'dispatcher'];
  const writes = ['create', 'update', 'replace', 'delete'] as const;

  it.each(languages)('in %s create, change and delete records', { timeout: 240_000 }, async (language) => {
    for (const verb of writes) {
      const ofVerb = everyOperation.filter(({ id }) => kinds.some((kind) => id === `${kind}.${verb}`));
      expect(ofVerb.length).toBe(kinds.length);
      const prepared: Prepared[] = [];
      for (const operation of ofVerb) prepared.push(await prepare(operation));
      const outcomes = await folder.run(language, prepared);
      expect(outcomes.filter(({ status }) => status >= 300 || status < 0)).toEqual([]);
      for (const one of prepared) await expectDone(one, verb, outcomes);
    }
  });

  /** The database has the row of the sample, and its name is free again for the next one. */
  async function expectDone(
    { id, operation, path }: Prepared,
    verb: (typeof writes)[number],
    outcomes: readonly Outcome[],
  ): Promise<void> {
    if (verb === 'delete') {
      const { status } = await portal.send(`GET ${path}`, { token });
      expect([id, status]).toEqual([id, 404]);
      return;
    }
    const { output = '' } = outcomes.find((one) => one.id === id) ?? {};
    const made = /\bid['"]?: ?['"]([\w-]{36})['"]/.exec(output)?.[1] ?? '';
    const address = verb === 'create' ? `${path}/${made}` : path;
    const { status, body } = await portal.send(`GET ${address}`, { token });
    expect([id, status]).toEqual([id, 200]);
    expect(output).toContain(body.name);
    const { status: deleted } = await portal.send(`DELETE ${address}`, { token });
    expect([id, operation.path, deleted]).toEqual([id, operation.path, 204]);
  }

  it('in curl of every other operation are answered as documented', { timeout: 240_000 }, async () => {
    const rest = everyOperation.filter(({ id, method }) => isRun(id) && method !== 'GET');
    // It ends the session that prepares the others.
    const isLast = ({ id }: Registered) => id === 'userinfo.endOtherSessions';
    for (const operation of [...rest.filter((one) => !isLast(one)), ...rest.filter(isLast)]) {
      const one = await prepare(operation);
      // Some end their own session.
      const own = { ...one, env: { ...one.env, TOKEN: await portal.login() } };
      const [outcome] = await folder.run('curl', [own]);
      expect(statusesOf(operation), `${operation.id} ${outcome?.output}`).toContain(String(outcome?.status));
      expect(outcome?.output, operation.id).not.toContain('malformed_json');
    }
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: the linter does not know this module of Node
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { endOf, outputOf, untilListening } from '../processes/output.ts';

const program = '/usr/bin/glewlwyd';
/** The tables, and the account `admin` with the password `password`. */
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const modules = '/usr/lib/glewlwyd';
export const hasGlewlwyd = existsSync(program) && existsSync(schema);

/** `openid` exists in every installation. */
const scopes = ['openid', 'profile', 'email'];

export type GlewlwydPerson = {
  username: string;
  password: string;
  name: string;
  email: string;
  groups: string[];
};

export type Glewlwyd = {
  issuer: string;
  caPem: string;
  client: { id: string; secret: string };
  addPerson(person: GlewlwydPerson): Promise<void>;
  /** Replaces a person, who may be disabled. */
  setPerson(person: GlewlwydPerson, enabled?: boolean): Promise<void>;
  /** Revokes a refresh token of the client (RFC 7009). */
  revoke(refreshToken: string): Promise<void>;
  /**
   * Logs in as a person, agrees that the portal may know them, and continues.
   * @param url address of the authorization request
   * @returns address to which the provider sends the browser
   */
  signIn(url: string, person: GlewlwydPerson): Promise<string>;
  stop(): Promise<void>;
};

/**
 * A throwaway Glewlwyd (an identity provider in C) with the portal as its client, over HTTPS.
 * @param base of the portal's addresses for providers
 */
export async function startGlewlwyd(base: string): Promise<Glewlwyd> {
  const folder = await mkdtemp(join(tmpdir(), 'glewlwyd-'));
  const authority = await createAuthority('Glewlwyd');
  const { cert, key } = await authority.issue();
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  const database = new DatabaseSync(join(folder, 'database'));
  database.exec(await readFile(schema, 'utf8'));
  database.close();
  const { child, port } = await launchOnFreePort(folder);
  const origin = `https://localhost:${port}`;
  const session = () => createSession(origin, authority.caPem);
  const admin = session();
  await admin.send('POST /api/auth/', { username: 'admin', password: 'password' });
  // Glewlwyd does not decode other characters in the header Authorization, against RFC 6749, 2.3.1.
  const client = { id: 'portal', secret: 'Secret of the portal: 50% + 2/3 = ä' };
  await configure(admin, origin, client, base);
  return {
    issuer: `${origin}/api/oidc`,
    caPem: authority.caPem,
    client,
    addPerson: async (person) =>
      void (await admin.send('POST /api/user/', { ...person, enabled: true, scope: scopes })),
    setPerson: async (person, enabled = true) =>
      void (await admin.send(`PUT /api/user/${person.username}`, { ...person, enabled, scope: scopes })),
    revoke: async (refreshToken) => {
      const form = new URLSearchParams({ token: refreshToken, token_type_hint: 'refresh_token' });
      await session().send('POST /api/oidc/revoke', form, client);
    },
    signIn: async (url, { username, password }) => {
      const person = session();
      await person.send('POST /api/auth/', { username, password });
      await person.send(`PUT /api/auth/grant/${client.id}`, { scope: scopes.join(' ') });
      const { pathname, search } = new URL(url);
      const location = await person.send(`GET ${pathname}${search}&g_continue`);
      return location;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Another process may take the port before Glewlwyd listens, so it is tried again with another one. */
async function launchOnFreePort(
  folder: string,
  attempts = 3,
): Promise<{ child: ChildProcess; port: number }> {
  const [port = 0] = await freePorts(1);
  await writeFile(join(folder, 'glewlwyd.conf'), configOf(folder, port));
  try {
    return { child: await launch(folder, port), port };
  } catch (error) {
    if (attempts === 1) throw error;
    return launchOnFreePort(folder, attempts - 1);
  }
}

/** Resolves when Glewlwyd accepts connections. @throws Error with its log if it ends before */
async function launch(folder: string, port: number): Promise<ChildProcess> {
  const child = spawn(program, ['--config-file', join(folder, 'glewlwyd.conf')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const ended = endOf(child, output).then(({ code, stdout, stderr }) => {
    throw new Error(`Glewlwyd ended with ${code ?? child.signalCode}: ${stdout}${stderr}`);
  });
  const listening = new Promise<void>((resolve) => {
    child.stdout.on('data', () => output.stdout.includes(' started on port ') && resolve());
  });
  // Its word may come before it listens, and a server that listens before its word is another one.
  await Promise.race([listening.then(() => untilListening(child, { port })), ended]);
  ended.catch(() => undefined);
  return child;
}

type Session = {
  /** A body is sent as JSON, unless it is a form. @returns the address of a redirect, otherwise the body. @throws Error if the answer is a refusal */
  send(route: string, body?: unknown, client?: Glewlwyd['client']): Promise<string>;
};

const formType = 'application/x-www-form-urlencoded';

/** Requests of one browser. */
function createSession(origin: string, ca: string): Session {
  const cookies = new Map<string, string>();
  return {
    send: async (route, body, client) => {
      const [method = '', path = ''] = route.split(' ');
      const isForm = body instanceof URLSearchParams;
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const sent = request(`${origin}${path}`, {
        ...{ method, ca },
        ...(client && { auth: `${client.id}:${client.secret}` }),
        headers: { cookie, 'content-type': isForm ? formType : 'application/json' },
      });
      sent.end(isForm ? String(body) : JSON.stringify(body));
      const [answer] = await once(sent, 'response');
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = line.split(';')[0].split('=');
        cookies.set(name, value);
      }
      const content = await text(answer);
      if (answer.statusCode >= 400) throw new Error(`${route}: ${answer.statusCode} ${content}`);
      return answer.headers.location ?? content;
    },
  };
}

async function configure(
  admin: Session,
  origin: string,
  client: Glewlwyd['client'],
  base: string,
): Promise<void> {
  const database = { module: 'database', name: 'database', display_name: 'Database', order_rank: 0 };
  const groups = { multiple: true, read: true, write: true };
  const parameters = { 'use-glewlwyd-connection': true, 'data-format': { groups } };
  await admin.send('PUT /api/mod/user/database', { ...database, readonly: false, parameters });
  await admin.send('PUT /api/mod/reload/');
  for (const name of scopes.slice(1))
    await admin.send('POST /api/scope/', { name, display_name: name, password_required: false, scheme: {} });
  const plugin = { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect' };
  await admin.send('POST /api/mod/plugin/', { ...plugin, parameters: protocolOf(origin) });
  await admin.send('POST /api/client/', {
    client_id: client.id,
    password: client.secret,
    name: 'Aggregator portal',
    enabled: true,
    confidential: true,
    redirect_uri: [`${base}/callback`],
    post_logout_redirect_uri: `${base}/signed-out`,
    authorization_type: ['code', 'refresh_token'],
    token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
    scope: [],
  });
}

/** Parameters of the OpenID Connect plugin; it demands most of them. */
function protocolOf(origin: string): Record<string, unknown> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    iss: `${origin}/api/oidc`,
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey,
    cert: publicKey,
    'jwks-show': true,
    'access-token-duration': 3_600,
    'refresh-token-duration': 86_400,
    'refresh-token-rolling': true,
    'code-duration': 60,
    'auth-type-code-enabled': true,
    'auth-type-code-revoke-replayed': true,
    'auth-type-refresh-enabled': true,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'auth-type-id-token-enabled': true,
    'pkce-allowed': true,
    'pkce-required': true,
    'subject-type': 'public',
    'session-cookie-name': 'GLEWLWYD_OIDC_SESSION',
    'session-cookie-expiration': 86_400,
    'session-management-allowed': true,
    'name-claim': 'mandatory',
    'email-claim': 'mandatory',
    claims: [
      { name: 'preferred_username', 'user-property': 'username', type: 'string', mandatory: true },
      { name: 'groups', 'user-property': 'groups', type: 'string', mandatory: true },
    ],
  };
}

const configOf = (folder: string, port: number): string => `port=${port}
bind_address="127.0.0.1"
external_url="https://localhost:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="INFO"
cookie_secure=1
session_expiration=86400
session_key="GLEWLWYD_SESSION"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
use_secure_connection=true
secure_connection_key_file="${folder}/key.pem"
secure_connection_pem_file="${folder}/cert.pem"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${folder}/database"; };
`;

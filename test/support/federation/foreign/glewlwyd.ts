import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUnresolvedImports: the linter does not know this module of Node
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { type ForeignPerson, startForeignServer } from './process.ts';

const program = '/usr/bin/glewlwyd';
/** The tables, and the account `admin` with the password `password`. */
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const modules = '/usr/lib/glewlwyd';
export const hasGlewlwyd = existsSync(program) && existsSync(schema);

/** `openid` exists in every installation. */
const scopes = ['openid', 'profile', 'email'];

/** The browser of a person. The pages are a program, so the requests of that program are sent. */
type GlewlwydVisitor = {
  /**
   * Agrees that the portal may know the person, and continues.
   * @param url address of the authorization request
   * @returns address to which the provider sends the browser
   */
  authorize(url: string): Promise<string>;
  /**
   * Confirms that the session ends.
   * @param url address of the log-out
   * @returns address to which the page of the log-out leads
   */
  logOut(url: string): Promise<string>;
};

export type Glewlwyd = {
  issuer: string;
  caPem: string;
  client: { id: string; secret: string };
  addPerson(person: ForeignPerson): Promise<void>;
  /** Replaces a person, who may be disabled. */
  setPerson(person: ForeignPerson, enabled?: boolean): Promise<void>;
  /** Registers the address of the portal that receives log-outs. */
  reportLogOutsTo(address: string): Promise<void>;
  /** Revokes a refresh token of the client (RFC 7009). */
  revoke(refreshToken: string): Promise<void>;
  logIn(person: ForeignPerson): Promise<GlewlwydVisitor>;
  stop(): Promise<void>;
};

// Glewlwyd does not decode other characters in the header Authorization, against RFC 6749, 2.3.1.
const client = { id: 'portal', secret: 'Secret of the portal: 50% + 2/3 = ä' };

/**
 * A throwaway Glewlwyd (an identity provider in C) with the portal as its client, over HTTPS.
 * @param base of the portal's addresses for providers
 */
export async function startGlewlwyd(base: string): Promise<Glewlwyd> {
  const { origin, caPem, stop } = await startForeignServer(programAt);
  const session = () => createSession(origin, caPem);
  const admin = session();
  await admin.send('POST /api/auth/', { username: 'admin', password: 'password' });
  await configure(admin, origin);
  await admin.send('POST /api/client/', registrationAt(base));
  return {
    issuer: `${origin}/api/oidc`,
    caPem,
    client,
    addPerson: async (person) =>
      void (await admin.send('POST /api/user/', { ...person, enabled: true, scope: scopes })),
    setPerson: async (person, enabled = true) =>
      void (await admin.send(`PUT /api/user/${person.username}`, { ...person, enabled, scope: scopes })),
    reportLogOutsTo: async (address) =>
      void (await admin.send(`PUT /api/client/${client.id}`, {
        ...registrationAt(base),
        backchannel_logout_uri: address,
        backchannel_logout_session_required: 'true',
      })),
    revoke: async (refreshToken) => {
      const form = new URLSearchParams({ token: refreshToken, token_type_hint: 'refresh_token' });
      await session().send('POST /api/oidc/revoke', form, client);
    },
    logIn: async ({ username, password }) => {
      const own = session();
      await own.send('POST /api/auth/', { username, password });
      return visitorOf(own);
    },
    stop,
  };
}

const visitorOf = ({ send }: Session): GlewlwydVisitor => ({
  authorize: async (url) => {
    await send(`PUT /api/auth/grant/${client.id}`, { scope: scopes.join(' ') });
    const { pathname, search } = new URL(url);
    return send(`GET ${pathname}${search}&g_continue`);
  },
  logOut: async (url) => {
    const { pathname, search } = new URL(url);
    const page = new URL(await send(`GET ${pathname}${search}`));
    await send(`DELETE /api/oidc/session/${page.searchParams.get('sid')}`);
    await send('DELETE /api/auth/');
    return page.searchParams.get('callback_url') ?? page.href;
  },
});

async function programAt(folder: string, port: number) {
  const file = join(folder, 'database');
  if (!existsSync(file)) {
    const database = new DatabaseSync(file);
    database.exec(await readFile(schema, 'utf8'));
    database.close();
  }
  const config = join(folder, 'glewlwyd.conf');
  await writeFile(config, configOf(folder, port));
  const command = [program, '--config-file', config] as const;
  return { name: 'Glewlwyd', command, ready: ' started on port ' };
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

async function configure(admin: Session, origin: string): Promise<void> {
  const database = { module: 'database', name: 'database', display_name: 'Database', order_rank: 0 };
  const several = { multiple: true, read: true, write: true };
  const own = { 'use-glewlwyd-connection': true };
  const users = { ...own, 'data-format': { groups: several } };
  await admin.send('PUT /api/mod/user/database', { ...database, readonly: false, parameters: users });
  // The settings of a new installation lack this property, without which a log-out does not return to the portal.
  const clients = JSON.parse(await admin.send('GET /api/mod/client/database'));
  clients.parameters['data-format'].post_logout_redirect_uris = several;
  await admin.send('PUT /api/mod/client/database', clients);
  await admin.send('PUT /api/mod/reload/');
  for (const name of scopes.slice(1))
    await admin.send('POST /api/scope/', { name, display_name: name, password_required: false, scheme: {} });
  const plugin = { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect' };
  await admin.send('POST /api/mod/plugin/', { ...plugin, parameters: protocolOf(origin) });
}

const registrationAt = (base: string) => ({
  client_id: client.id,
  password: client.secret,
  name: 'Aggregator portal',
  enabled: true,
  confidential: true,
  redirect_uri: [`${base}/callback`],
  post_logout_redirect_uris: [`${base}/signed-out`],
  authorization_type: ['code', 'refresh_token'],
  token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
  scope: [],
});

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
    'back-channel-logout-allowed': true,
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

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { sealGrant } from '../../../shared/identity/providers/grant.ts';
import type { Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { type Authority, createAuthority } from '../../simulator/authority.ts';

/** A provider that only refreshes, at the token endpoint, as fast as its machine can. */
export type RefreshServer = {
  issuer: string;
  caPem: string;
  /** Number of requests at the token endpoint. */
  asked: number;
  /** What requests at the token endpoint get. */
  mode: 'tokens' | 'error' | 'nothing';
  /** Those that have got nothing, and all further ones, get an error. */
  fail(): void;
  close(): Promise<void>;
};

const refreshed = JSON.stringify({
  access_token: 'a',
  token_type: 'Bearer',
  expires_in: 300,
  refresh_token: 'next',
});

const unavailable = JSON.stringify({ error: 'temporarily_unavailable' });

export async function startRefreshServer(given?: Authority): Promise<RefreshServer> {
  const authority = given ?? (await createAuthority('Identity provider'));
  const server = createServer({ ...(await authority.issue()), keepAlive: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const hanging = new Set<ServerResponse>();
  const stand: RefreshServer = {
    issuer,
    caPem: authority.caPem,
    asked: 0,
    mode: 'tokens',
    fail: () => {
      stand.mode = 'error';
      for (const response of hanging) send(response, 503, unavailable);
      hanging.clear();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const discovery = JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  });
  server.on('request', (request, response: ServerResponse) => {
    request.resume();
    if (request.method === 'GET')
      return send(response, 200, request.url === '/jwks' ? '{"keys":[]}' : discovery);
    stand.asked++;
    if (stand.mode === 'nothing') hanging.add(response);
    else if (stand.mode === 'error') send(response, 503, unavailable);
    else send(response, 200, refreshed);
  });
  return stand;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body);
}

type Queried = { query(text: string, values?: unknown[]): Promise<unknown> };

/**
 * Adds people of a domain who are signed in at its provider, each with a grant whose check is due.
 * @param prefix of their names and subjects
 */
export async function addCheckedSessions(
  database: Queried,
  sealer: Sealer,
  { id, issuer }: { id: string; issuer: string },
  { count, prefix }: { count: number; prefix: string },
): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    const people = Array.from({ length: Math.min(5_000, count - from) }, (_, at) => `${prefix}${from + at}`);
    const rows = await Promise.all(
      people.map(async (name) => {
        const grant = newId();
        const login = { issuer, sub: name, subject: name, loginName: name, idToken: '' };
        const sealed = await sealGrant(sealer, grant, login as Parameters<typeof sealGrant>[2], 'first');
        return { user: newId(), session: newId(), grant, name, sealed };
      }),
    );
    await database.query(insertion, [JSON.stringify(rows), id, issuer]);
  }
}

const insertion = `
  with person as (select * from jsonb_to_recordset($1::jsonb) as r("user" uuid, session uuid, "grant" uuid, name text, sealed text)),
  added_user as (
    insert into users (id, authenticator_id, name, name_key, directory_id, directory_authority, created_at, updated_at, revision)
    select "user", $2, name, name, name, $3, now(), now(), 1 from person),
  added_grant as (
    insert into provider_grants (id, authenticator_id, user_id, sealed_grant, checked_at, next_check_at)
    select "grant", $2, "user", sealed, now() - interval '900 seconds', now() - interval '1 second' from person),
  added_session as (
    insert into login_sessions (id, token_hash, user_id, portal, source_ip, created_at, last_seen_at)
    select session, name || $2, "user", 'user', '127.0.0.1', now(), now() from person)
  insert into provider_sessions (session_id, authenticator_id, issuer, sub, grant_id)
  select session, $2, $3, name, "grant" from person`;

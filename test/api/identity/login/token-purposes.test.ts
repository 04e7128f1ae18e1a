import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { eq } from 'drizzle-orm';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dispatchers } from '../../../../db/schema/sites/dispatchers.ts';
import { isAsSigned } from '../../../../shared/audit/checkpoints.ts';
import { createAuthority } from '../../../simulator/authority.ts';
import {
  addDispatcher,
  addMember,
  addNode,
  base,
  type SimulatedNode,
  startWorld,
  unique,
  type World,
} from '../../../support/factories.ts';
import { addPeer, claimsOf, jwtauth } from '../../../support/identity/peers.ts';
import { signJwt } from '../../../support/identity/signing-keys.ts';
import { type Answer, baseUrl } from '../../../support/portal.ts';

const heartbeatPath = '/api/aggregator/v7.0/portals/heartbeat';
const urlOfB = 'https://b.example.com';
const outcome = ({ status, body }: Answer) => [status, body.code ?? body.result];

/** Portal A, and portal B, where A is registered as a peer. */
let a: World;
let b: World;
let node: SimulatedNode;
let attacker: Awaited<ReturnType<typeof startAttacker>>;
beforeAll(async () => {
  [a, b, attacker] = await Promise.all([startWorld(), startWorld({ baseUrl: urlOfB }), startAttacker()]);
  const role = await b.admin(`POST ${base}/rbac`, { name: 'Peers', permissions: ['sites.read'] });
  const { jwks } = a.portal.deps.signingKeys;
  const peer = { name: 'A', issuer: baseUrl, jwks, roles: [role.body.id] };
  expect((await b.admin('POST /api/aggregator/v7.0/peers', peer)).status).toBe(201);
  node = await addNode(a, a.farm);
});
afterAll(async () => {
  await Promise.all([attacker.close(), node.simulator.close(), a.portal.close(), b.portal.close()]);
});

/** A server of the attacker, registered as a dispatcher; it records the tokens that it receives. */
async function startAttacker() {
  const authority = await createAuthority();
  const tokens: string[] = [];
  const server = createServer(await authority.issue(), async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    tokens.push(JSON.parse(text).token);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ result: 'ok', token: 'stolen', expires_in: 600 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    tokens,
    dispatcher: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ca_certificate: authority.caPem,
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a token for a dispatcher', () => {
  it.each([
    urlOfB,
    'https\uff1a\uff0f\uff0fb.example.com',
    `${baseUrl}${heartbeatPath}`,
  ])('a dispatcher cannot be named %s', async (name) => {
    const permissions = ['dispatchers.create', 'dispatchers.read', 'dispatchers.update', 'farms.read'];
    const { ask } = await addMember(a, permissions, [a.site.id]);
    const body = { name, farm_id: a.farm.id, ...attacker.dispatcher };
    const made = await ask(`POST ${base}/dispatchers`, body);
    expect([made.status, made.body.errors?.[0]?.pointer]).toEqual([422, '/name']);
    const good = await ask(`POST ${base}/dispatchers`, { ...body, name: unique('node') });
    expect(good.status).toBe(201);
    const renamed = await ask(`PATCH ${base}/dispatchers/${good.body.id}`, { name });
    expect([renamed.status, renamed.body.errors?.[0]?.pointer]).toEqual([422, '/name']);
  });

  it('does not open the portal whose address an older dispatcher has as its name', async () => {
    const made = await addDispatcher(a.admin, a.farm, { name: unique('node'), ...attacker.dispatcher });
    await a.portal.db
      .update(dispatchers)
      .set({ name: urlOfB, name_key: urlOfB })
      .where(eq(dispatchers.id, made.id));
    const authorized = await a.admin(jwtauth, { dispatcher_id: made.id });
    expect(outcome(authorized)).toEqual([200, 'ok']);
    const [stolen = ''] = attacker.tokens;
    expect(decodeProtectedHeader(stolen).typ).toBe('dispatcher+jwt');
    const { iss, aud } = decodeJwt(stolen);
    expect([iss, aud]).toEqual([baseUrl, urlOfB]);
    expect(outcome(await b.portal.send(jwtauth, { body: { token: stolen } }))).toEqual([
      401,
      'invalid_token',
    ]);
    // The same claims with the purpose of a peer are accepted: nothing else in the token was wrong.
    const peer = await signJwt(a.portal.deps.signingKeys, 'peer+jwt', { iss: baseUrl, aud: urlOfB });
    expect(outcome(await b.portal.send(jwtauth, { body: { token: peer } }))).toEqual([200, 'ok']);
  });

  it('without a type, or about a user of its issuer, is not accepted as a peer token', async () => {
    const one = await addPeer(a.admin);
    const bring = async (claims: object, header: object) => {
      const token = await one.signer.sign(claimsOf(a.portal, one.peer, claims), header);
      return outcome(await a.portal.send(jwtauth, { body: { token } }));
    };
    expect(await bring({}, { typ: undefined })).toEqual([401, 'invalid_token']);
    expect(await bring({ sub: 'aggregator' }, {})).toEqual([401, 'invalid_token']);
    expect(await bring({}, { typ: 'application/peer+jwt' })).toEqual([200, 'ok']);
  });
});

type Verifier = {
  /** The claims that a token needs, besides its type. */
  claims: { iss: string; [claim: string]: unknown };
  accepts(token: string): Promise<boolean>;
};

const report = {
  name: 'other',
  fqdn: 'other.test',
  portal_type: 'user',
  runtime: 'node',
  version: '7.0',
  started_at: '2026-11-21T08:00:00Z',
};
const link = { seq: 1, hash: '1'.repeat(64), base_seq: 0, base_hash: '0'.repeat(64) };
const isAnswered = async (answer: Promise<Answer>) => (await answer).status === 200;

/** Everything that verifies a signature of portal A. */
const verifiers: Record<string, Verifier> = {
  'dispatcher+jwt': {
    claims: { iss: baseUrl, sub: 'aggregator' },
    accepts: async (token) => {
      const { url, caPem } = node.simulator;
      const dispatcher = new Agent({ connect: { ca: caPem } });
      const { statusCode, body } = await request(`${url}/api/auth/v7.0/jwtauth`, {
        method: 'POST',
        dispatcher,
        body: JSON.stringify({ token }),
      });
      await body.dump();
      await dispatcher.close();
      return statusCode === 200;
    },
  },
  'peer+jwt': {
    claims: { iss: baseUrl, aud: urlOfB },
    accepts: (token) => isAnswered(b.portal.send(jwtauth, { body: { token } })),
  },
  'heartbeat+jwt': {
    claims: { iss: baseUrl, aud: `${baseUrl}${heartbeatPath}`, portal: report },
    accepts: (token) => isAnswered(a.portal.send(`POST ${heartbeatPath}`, { body: { token } })),
  },
  'heartbeat+jwt of a peer': {
    claims: { iss: baseUrl, aud: `${urlOfB}${heartbeatPath}`, portal: report },
    accepts: (token) => isAnswered(b.portal.send(`POST ${heartbeatPath}`, { body: { token } })),
  },
  'audit-checkpoint+json': {
    claims: { iss: baseUrl, ...link },
    accepts: (jws) => isAsSigned({ ...link, jws }, a.portal.deps.signingKeys),
  },
  'a session token': {
    claims: { iss: baseUrl, aud: baseUrl },
    accepts: (token) => isAnswered(a.portal.send('GET /api/userinfo', { token })),
  },
};
const types = ['dispatcher+jwt', 'peer+jwt', 'heartbeat+jwt', 'audit-checkpoint+json', 'JWT', 'jwt', ''];

describe('the purposes of signed tokens', () => {
  it.each(Object.entries(verifiers))('where %s is expected, only that is accepted', async (name, {
    claims,
    accepts,
  }) => {
    const aud = name === 'dispatcher+jwt' ? node.dispatcher.name : claims.aud;
    const accepted = [];
    for (const typ of types) {
      const token = await signJwt(a.portal.deps.signingKeys, typ, { ...claims, aud });
      if (await accepts(token)) accepted.push(typ);
    }
    expect(accepted).toEqual(name === 'a session token' ? [] : [name.split(' ')[0]]);
  });

  it('a token that the portal signs for dispatchers is accepted by dispatchers only', async () => {
    const { signingKeys } = a.portal.deps;
    for (const [name, { claims, accepts }] of Object.entries(verifiers)) {
      const aud = name === 'dispatcher+jwt' ? node.dispatcher.name : String(claims.aud);
      const sub = name === 'dispatcher+jwt' ? 'aggregator' : baseUrl;
      const token = await signingKeys.signFor(aud, { sub }, new Date(), 60);
      expect([name, await accepts(token)]).toEqual([name, name === 'dispatcher+jwt']);
    }
  });

  it('iss, aud and sub are required in each token', async () => {
    const { signingKeys } = a.portal.deps;
    for (const [typ, { claims, accepts }] of Object.entries(verifiers).slice(0, 3)) {
      const aud = typ === 'dispatcher+jwt' ? node.dispatcher.name : claims.aud;
      for (const wrong of [
        { iss: 'https://c.example.com' },
        { aud: 'other' },
        { aud: undefined },
        { sub: 'other' },
      ]) {
        const token = await signJwt(signingKeys, typ, { ...claims, aud, ...wrong });
        expect([typ, wrong, await accepts(token)]).toEqual([typ, wrong, false]);
      }
    }
  });
});

import { eq } from 'drizzle-orm';
import { exportJWK, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { peerSessions } from '../../../db/schema/identity/peers.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import { addMember, addRole, adminOf, audited, base, unique, useWorld } from '../../support/factories.ts';
import {
  addPeer,
  createSigner,
  exchange,
  type Peer,
  peerBody,
  peersPath,
  type Signer,
} from '../../support/identity/peers.ts';
import type { Answer, Json } from '../../support/portal.ts';

const world = useWorld();
let signer: Signer;
const admin = adminOf(world);

beforeAll(async () => {
  signer = await createSigner();
});

const withKeys = (given: object = {}) => peerBody({ jwks: { keys: [signer.jwk] }, ...given });
const pathOf = ({ peer }: Pick<Peer, 'peer'>) => `${peersPath}/${peer.id}`;
const faults = ({ status, body }: Answer) => [status, body.errors?.map(({ pointer }: Json) => pointer)];

describe('a peer', () => {
  it('is created, read back, replaced and deleted, each with its event', async () => {
    const role = await addRole(admin, ['sites.read']);
    const body = withKeys({ roles: [role.id], comments: 'of the south' });
    const { result: made, events } = await audited(world.portal, () => admin(`POST ${peersPath}`, body));
    const path = `${peersPath}/${made.body.id}`;
    expect([made.status, made.headers.get('location'), made.body]).toEqual([
      201,
      path,
      expect.objectContaining({ ...body, jwks_url: null, ca_certificate: null, enabled: true }),
    ]);
    expect(events).toMatchObject([
      { event: 'portal.EntityAction', action: 'create', object_type: 'peer', object_name: made.body.name },
    ]);
    const read = await admin(`GET ${path}`);
    expect([read.body, read.headers.get('etag')]).toEqual([made.body, made.headers.get('etag')]);
    const name = unique('peer');
    const replaced = await audited(world.portal, () => admin(`PUT ${path}`, { ...read.body, name }));
    expect([replaced.result.status, replaced.result.body.name]).toEqual([200, name]);
    expect(replaced.events).toMatchObject([{ action: 'update', changes: [{ field: 'name', after: name }] }]);
    const listed = await admin(`GET ${peersPath}?search=${name}&enabled=true`);
    expect(listed.body.items.map(({ id }: Json) => id)).toEqual([made.body.id]);
    expect((await admin(`DELETE ${path}`)).status).toBe(204);
    expect((await admin(`GET ${path}`)).status).toBe(404);
  });

  it('is changed only at the version read, created once per idempotency key, and not written by a dry run', async () => {
    const key = { 'idempotency-key': unique('key') };
    const body = withKeys();
    const [first, second] = [
      await admin(`POST ${peersPath}`, body, key),
      await admin(`POST ${peersPath}`, body, key),
    ];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    const path = `${peersPath}/${first.body.id}`;
    const stale = await admin(`PUT ${path}`, body, { 'if-match': '"7.x"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
    const dry = await admin(`DELETE ${path}`, undefined, { 'x-dry-run': 'true' });
    expect([dry.status, dry.body.dry_run, (await admin(`GET ${path}`)).status]).toEqual([200, true, 200]);
  });

  it('has a unique name and a unique issuer', async () => {
    const { peer } = await addPeer(admin);
    for (const twin of [{ name: peer.name.toUpperCase() }, { issuer: peer.issuer }]) {
      const { status, body } = await admin(`POST ${peersPath}`, withKeys(twin));
      const pointer = `/${Object.keys(twin)[0]}`;
      expect([status, body.existing_id, body.errors[0].pointer]).toEqual([409, peer.id, pointer]);
    }
  });

  it('has its keys either inline or at an address, and public ones only', async () => {
    const [rsa, ec] = [await createSigner('RS256'), await createSigner()];
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const weak = { ...rsa.jwk, n: Buffer.alloc(128, 255).toString('base64url') };
    const refused = async (given: object) => faults(await admin(`POST ${peersPath}`, peerBody(given)));
    const keys = (...all: Json[]) => ({ jwks: { keys: all } });
    const jwks_url = 'https://peer.example.com/keys';
    expect(await refused({})).toEqual([422, ['/jwks']]);
    expect(await refused({ ...keys(ec.jwk), jwks_url })).toEqual([422, ['/jwks_url']]);
    expect((await refused(keys({ ...(await exportJWK(privateKey)), kid: 'own' })))[0]).toBe(422);
    expect((await refused(keys({ kty: 'oct', kid: 'secret', k: 'AAAA' })))[0]).toBe(422);
    expect(await refused(keys(ec.jwk, weak))).toEqual([422, ['/jwks/keys/1']]);
    expect(await refused(keys({ ...ec.jwk, x: 'AAAA' }))).toEqual([422, ['/jwks/keys/0']]);
    expect(await refused(keys({ ...rsa.jwk, alg: 'ES256' }))).toEqual([422, ['/jwks/keys/0']]);
    expect(await refused(keys(ec.jwk, { ...rsa.jwk, kid: ec.kid }))).toEqual([422, ['/jwks/keys']]);
    expect((await refused({ ...keys(ec.jwk), roles: [world.site.id] }))[0]).toBe(422);
    expect((await refused({ ...keys(ec.jwk), issuer: 'builtin' }))[0]).toBe(422);
  });
});

describe('the permissions of a peer', () => {
  it('are granted, and its keys chosen, only by a caller with all of them', async () => {
    const strong = await addRole(admin, ['sites.read', 'farms.delete']);
    const weak = await addRole(admin, ['sites.read']);
    const own = permissions.filter((permission) => permission !== 'farms.delete');
    const { ask } = await addMember(world, own);
    const missing = ({ status, body }: Answer) => [status, body.missing];
    const refusal = [403, ['farms.delete']];
    expect(missing(await ask(`POST ${peersPath}`, withKeys({ roles: [strong.id] })))).toEqual(refusal);
    const one = await addPeer(admin, [strong.id]);
    const change = (given: object) => ask(`PUT ${pathOf(one)}`, { ...one.peer, ...given });
    expect(missing(await change({ jwks: { keys: [signer.jwk] } }))).toEqual(refusal);
    expect(missing(await change({ roles: [weak.id] }))).toEqual(refusal);
    expect(missing(await ask(`DELETE ${pathOf(one)}`))).toEqual(refusal);
    const other = await addPeer(ask, [weak.id]);
    expect(missing(await ask(`PUT ${pathOf(other)}`, { ...other.peer, roles: [strong.id] }))).toEqual(
      refusal,
    );
    expect((await ask(`PUT ${pathOf(other)}`, { ...other.peer, roles: [] })).status).toBe(200);
    expect((await admin(`GET ${pathOf(one)}`)).body).toEqual(one.peer);
  });

  it('prevent the deletion of their roles', async () => {
    const role = await addRole(admin, ['sites.read']);
    const one = await addPeer(admin, [role.id]);
    const { status, body } = await admin(`DELETE ${base}/rbac/${role.id}`);
    expect([status, body.code, body.references]).toEqual([
      409,
      'in_use',
      [{ type: 'peer', id: one.peer.id, name: one.peer.name }],
    ]);
    expect((await admin(`DELETE ${pathOf(one)}`)).status).toBe(204);
    expect((await admin(`DELETE ${base}/rbac/${role.id}`)).status).toBe(204);
  });

  it('cannot be changed by the peer itself, which could make them permanent', async () => {
    const role = await addRole(admin, permissions);
    const one = await addPeer(admin, [role.id]);
    const { token } = (await exchange(world.portal, one)).body;
    const send = (verb: string, body?: unknown) =>
      world.portal.send(`${verb} ${pathOf(one)}`, { token, body });
    for (const answer of [await send('PUT', { ...one.peer, comments: 'x' }), await send('DELETE')])
      expect([answer.status, answer.body.reason]).toEqual([409, 'own_account']);
  });
});

describe('the sessions of a peer end', () => {
  it.each<[string, (one: Peer) => object]>([
    ['when it is disabled', () => ({ enabled: false })],
    ['when it signs by other keys', () => ({ jwks: { keys: [signer.jwk] } })],
    ['when its keys are elsewhere', () => ({ jwks: null, jwks_url: 'https://keys.example.com/' })],
    ['when it has another issuer', ({ peer }) => ({ issuer: `${peer.issuer}/new` })],
  ])('%s, for good', async (_, change) => {
    const one = await addPeer(admin);
    const { token } = (await exchange(world.portal, one)).body;
    const status = async () => (await world.portal.send('GET /api/discover/', { token })).status;
    expect((await admin(`PUT ${pathOf(one)}`, { ...one.peer, comments: 'noted' })).status).toBe(200);
    expect(await status()).toBe(200);
    expect((await admin(`PUT ${pathOf(one)}`, { ...one.peer, ...change(one) })).status).toBe(200);
    expect(await status()).toBe(401);
    expect((await admin(`PUT ${pathOf(one)}`, one.peer)).status).toBe(200);
    expect(await status()).toBe(401);
    const { db } = world.portal;
    expect(await db.select().from(peerSessions).where(eq(peerSessions.peer_id, one.peer.id))).toEqual([]);
  });

  it('when it is deleted, and a disabled one cannot begin any', async () => {
    const one = await addPeer(admin);
    const { token } = (await exchange(world.portal, one)).body;
    expect((await admin(`PUT ${pathOf(one)}`, { ...one.peer, enabled: false })).status).toBe(200);
    expect((await exchange(world.portal, one)).status).toBe(401);
    expect((await admin(`PUT ${pathOf(one)}`, one.peer)).status).toBe(200);
    const again = (await exchange(world.portal, one)).body.token;
    expect((await admin(`DELETE ${pathOf(one)}`)).status).toBe(204);
    for (const ended of [token, again])
      expect((await world.portal.send('GET /api/discover/', { token: ended })).body.code).toBe(
        'invalid_token',
      );
  });
});

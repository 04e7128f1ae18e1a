import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { softwareAuthenticator } from '../../support/passkeys/authenticator.ts';
import { keyPair } from '../../support/passkeys/keys.ts';
import { passkeyPath } from '../../support/passkeys/passkeys.ts';
import {
  type Json,
  type LocalPortal,
  startWorkers,
  workersVariables,
} from '../../support/workers/local-workers.ts';

const password = 'correct horse battery staple';

let folder: string;
let database: FreshDatabase;
let portal: LocalPortal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-passkeys-'));
  database = await freshDatabase();
  portal = await startWorkers(await workersVariables({ folder, databaseUrl: database.url, password }));
});
afterAll(async () => {
  await portal?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  -7, -8, -257,
] as const)('a passkey with the algorithm %i is registered, signs in and is deleted in workerd', async (alg) => {
  const send = async (route: string, options: { token?: string; body?: Json } = {}) => {
    const answer = await portal.send(route, options);
    if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const body = { username: 'admin', password, authSmallName: 'builtin' };
  const { token } = await send('POST /api/auth/v7.0/login', { body });
  const device = softwareAuthenticator(portal.url);
  const options = await send(`POST ${passkeyPath}/options`, { token, body: { password } });
  expect(options.rp.id).toBe('localhost');
  const { credential, response } = device.create(options, { alg });
  const named = { name: 'Laptop', registration: response };
  const { id, recovery_codes } = await send(`POST ${passkeyPath}`, { token, body: named });
  expect(recovery_codes).toHaveLength(10);
  const assert = async (forged = {}) =>
    device.get(credential, await send(`POST ${passkeyPath}/sign-in/options`), forged);
  const signed = await send(`POST ${passkeyPath}/sign-in`, { body: { assertion: await assert() } });
  expect(signed.user.name).toBe('admin');
  const forged = await portal.send(`POST ${passkeyPath}/sign-in`, {
    body: { assertion: await assert({ signer: keyPair(alg) }) },
  });
  expect([forged.status, forged.body.code]).toEqual([401, 'invalid_credentials']);
  const proof = { assertion: await assert() };
  await send(`DELETE ${passkeyPath}/${id}`, { token: signed.token, body: proof });
});

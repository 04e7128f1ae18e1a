import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { releaseLogins } from '../../../db/repositories/sites/kinds/node-logins.ts';
import { nodeLogins } from '../../../db/schema/sites/node-logins.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { LoginGuard, Node } from '../../../shared/remotes/dispatcher/port.ts';
import { createLoginGuard, passwordPlace } from '../../../shared/sites/calls/login-guard.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { refusalOf } from '../../support/openuds/stand.ts';

/** Two processes are two connections to the database: the guard has no memory of its own. */
describe('logins with the account of the portal', () => {
  let database: FreshDatabase;
  let connections: [Connection, Connection];
  let guards: [LoginGuard, LoginGuard];
  const key = Buffer.alloc(32, 7).toString('base64');
  beforeAll(async () => {
    database = await freshDatabase();
    const connect = () => connectPg({ url: database.url, maxConnections: 4 });
    connections = [connect(), connect()];
    const sealer = await createSealer([key]);
    guards = [
      createLoginGuard({ ...connections[0], sealer }),
      createLoginGuard({ ...connections[1], sealer }),
    ];
  });
  beforeEach(() => connections[0].db.delete(nodeLogins));
  afterAll(async () => {
    await Promise.all(connections.map((one) => one.close()));
    await database.drop();
  });
  async function nodeWith(password: string, given: Partial<Node> = {}): Promise<Node> {
    const id = newId();
    const sealer = await createSealer([key]);
    const sealed = await sealer.seal(password, passwordPlace(id));
    return {
      ...{ id, kind: 'openuds', name: 'broker', url: 'https://broker.example', verifyTls: true },
      ...{ timeoutMs: 5_000, account: { domain: 'corp', name: 'svc', password: sealed }, ...given },
    };
  }
  const refuse = async () => undefined;
  const accept = async () => 'key';
  const rows = () => connections[0].db.select().from(nodeLogins);

  it('get the password, and are not held when they succeed', async () => {
    const node = await nodeWith('right');
    expect(await guards[0].attempt(node, async (password) => `key for ${password}`)).toBe('key for right');
    expect(await rows()).toMatchObject([{ state: 'free', accepted_at: expect.any(Date), refused_at: null }]);
  });

  it('run one at a time in all processes', async () => {
    const node = await nodeWith('right');
    let running = 0;
    let most = 0;
    const login = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 50));
      running -= 1;
      return 'key';
    };
    const keys = await Promise.all([0, 1, 0, 1].map((at) => guards[at as 0 | 1].attempt(node, login)));
    expect(keys).toEqual(['key', 'key', 'key', 'key']);
    expect(most).toBe(1);
  });

  it('are not repeated after a refusal, in any process', async () => {
    const node = await nodeWith('wrong');
    let tries = 0;
    const login = async () => {
      tries += 1;
      return undefined;
    };
    expect(await refusalOf(guards[0].attempt(node, login))).toBe('upstream_refused:account_refused');
    for (const guard of guards)
      expect(await refusalOf(guard.attempt(node, login))).toBe('upstream_refused:account_held');
    expect(tries).toBe(1);
  });

  it('are tried with a new password at once', async () => {
    await refusalOf(guards[0].attempt(await nodeWith('wrong'), refuse));
    expect(await guards[1].attempt(await nodeWith('right'), async () => 'key')).toBe('key');
  });

  it('pause for a broker that has refused several accounts', async () => {
    for (const password of ['a', 'b']) await refusalOf(guards[0].attempt(await nodeWith(password), refuse));
    const third = await nodeWith('right');
    for (const guard of guards)
      expect(await refusalOf(guard.attempt(third, accept))).toBe('upstream_refused:account_paused');
    const elsewhere = await nodeWith('right', { url: 'https://other.example' });
    expect(await guards[1].attempt(elsewhere, accept)).toBe('key');
    await releaseLogins(connections[0].db, third.id, 'https://broker.example');
    expect(await guards[1].attempt(third, accept)).toBe('key');
  });

  it('do not pause for an account that the broker has accepted', async () => {
    const node = await nodeWith('right');
    await guards[0].attempt(node, accept);
    for (const password of ['a', 'b']) await refusalOf(guards[0].attempt(await nodeWith(password), refuse));
    expect(await guards[1].attempt(node, accept)).toBe('key');
    expect(await refusalOf(guards[1].attempt(node, refuse))).toBe('upstream_refused:account_refused');
    expect(await refusalOf(guards[0].attempt(node, accept))).toBe('upstream_refused:account_held');
  });

  it('of nodes are not stopped by refused tests, which have a limit of their own', async () => {
    const test = async (login: typeof refuse | typeof accept) =>
      refusalOf(guards[0].attempt(await nodeWith('tested'), login, true));
    for (const _ of [1, 2, 3]) expect(await test(refuse)).toBe('upstream_refused:account_refused');
    expect(await test(accept)).toBe('upstream_refused:account_paused');
    expect(await guards[1].attempt(await nodeWith('right'), accept)).toBe('key');
  });

  it('without an answer are held back for a while', async () => {
    const node = await nodeWith('slow');
    const late = () => Promise.reject(new AppError('upstream_timeout'));
    expect(await refusalOf(guards[0].attempt(node, late))).toBe('upstream_timeout');
    const [row] = await rows();
    const heldS = (Number(row?.held_until) - Date.now()) / 1_000;
    expect(heldS).toBeGreaterThan(5);
    expect(heldS).toBeLessThanOrEqual(10);
    const other = { ...node, timeoutMs: 300 };
    expect(await refusalOf(guards[1].attempt(other, async () => 'key'))).toBe('upstream_timeout');
  });

  it('that fail before they are sent are tried again at once', async () => {
    const node = await nodeWith('right');
    const closed = () => Promise.reject(new AppError('upstream_failed'));
    expect(await refusalOf(guards[0].attempt(node, closed))).toBe('upstream_failed');
    expect(await guards[1].attempt(node, accept)).toBe('key');
  });
});

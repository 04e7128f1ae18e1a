import { createHash, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { idempotencyKeys } from '../../../db/schema/jobs/idempotency-keys.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import { asker, goodPassword, unique, usersPath, useWorld, type World } from '../../support/factories.ts';
import { startPortal } from '../../support/portal.ts';

const newKey = () => randomBytes(32).toString('base64');
const [former, current] = [newKey(), newKey()];

const world = useWorld({ secretKeys: [former] });

const send = (ask: World['admin'], key: string, body: object) =>
  ask(`POST ${usersPath(world.domain)}`, body, { 'idempotency-key': key });
const storedFor = async (key: string) =>
  (await world.portal.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key)))[0]?.fingerprint;

/** A portal on the same database with these keys. */
async function withKeys<T>(secretKeys: readonly string[], work: (ask: World['admin']) => Promise<T>) {
  const portal = await startPortal({ database: world.portal.database, secretKeys });
  const done = await work(asker(portal, await portal.login()));
  await portal.close();
  return done;
}

describe('the fingerprint of a request', () => {
  it('cannot be computed from a guessed password', async () => {
    const [key, body] = [unique('key'), { name: unique('user'), password: goodPassword }];
    expect((await send(world.admin, key, body)).status).toBe(201);
    const stored = await storedFor(key);
    const request = canonicalJson(['POST', usersPath(world.domain), {}, body]);
    // The attacker has the row and guesses the whole request correctly.
    const [stranger, ours] = [await createSealer([newKey()]), await createSealer([former])];
    expect(ours.isFingerprintOf(stored ?? '', 'idempotency', request)).toBe(true);
    expect(stranger.isFingerprintOf(stored ?? '', 'idempotency', request)).toBe(false);
    expect(ours.isFingerprintOf(stored ?? '', 'other', request)).toBe(false);
    for (const encoding of ['base64url', 'hex'] as const)
      expect(stored).not.toContain(createHash('sha256').update(request).digest(encoding));
  });

  it('is the same for a repeated request, and differs for another password', async () => {
    const [key, body] = [unique('key'), { name: unique('user'), password: goodPassword }];
    const first = await send(world.admin, key, body);
    expect((await send(world.admin, key, body)).body).toEqual(first.body);
    const other = await send(world.admin, key, { ...body, password: `${goodPassword}!` });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  it('is verified with the previous key during a rotation, and computed with the current one', async () => {
    const [before, during] = [unique('key'), unique('key')];
    const bodies = [before, during].map(() => ({ name: unique('user'), password: goodPassword }));
    const [one = {}, two = {}] = bodies;
    const made = await send(world.admin, before, one);
    await withKeys([current, former], async (ask) => {
      expect((await send(ask, before, one)).body).toEqual(made.body);
      expect((await send(ask, before, two)).body.code).toBe('idempotency_mismatch');
      expect((await send(ask, during, two)).status).toBe(201);
    });
    const [{ currentKeyId: old }, { currentKeyId: next }] = [
      await createSealer([former]),
      await createSealer([current]),
    ];
    expect((await storedFor(before))?.split('.')[0]).toBe(old);
    expect((await storedFor(during))?.split('.')[0]).toBe(next);
  });

  it('whose key was removed answers that the outcome is unknown, and nothing runs again', async () => {
    const [key, body] = [unique('key'), { name: unique('user'), password: goodPassword }];
    expect((await send(world.admin, key, body)).status).toBe(201);
    const { status, body: answer } = await withKeys([current], (ask) => send(ask, key, body));
    expect([status, answer.code]).toEqual([409, 'outcome_unknown']);
  });
});

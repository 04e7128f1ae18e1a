import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { openCursor, sealCursor } from '../../../shared/kernel/cursor.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';

const place = { table: 'dispatchers', row: '1', column: 'health_key' };
const list = { resource: 'site.list', filters: { enabled: true }, sort: 'name', scope: '*' };

describe('a sealed text', () => {
  it('opens in its own context and in no other', async () => {
    const sealer = await createSealer([newSecretKey()]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const sealed = await sealer.seal(text, place);
        expect(await sealer.open(sealed, place)).toBe(text.toWellFormed());
        for (const elsewhere of [{ table: 'x' }, { row: '2' }, { column: 'x' }])
          await expect(sealer.open(sealed, { ...place, ...elsewhere })).rejects.toThrow();
      }),
      { numRuns: 30 },
    );
  });

  it('does not open when a single character was changed', async () => {
    const sealer = await createSealer([newSecretKey()]);
    const sealed = await sealer.seal('secret', place);
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const forged = sealed.slice(0, at) + other + sealed.slice(at + 1);
      await expect(sealer.open(forged, place), `at ${at}`).rejects.toThrow();
    }
    const longer = ['=', '.', '.A', ' ', '\n', '!'].map((more) => sealed + more);
    for (const garbage of ['', '.', '..', 'a.b.c', `${sealer.currentKeyId}..`, ...longer])
      await expect(sealer.open(garbage, place)).rejects.toThrow();
  });

  it('is different each time and never contains its text', async () => {
    const sealer = await createSealer([newSecretKey()]);
    const all = await Promise.all(Array.from({ length: 200 }, () => sealer.seal('secret', place)));
    expect(new Set(all).size).toBe(200);
    expect(all.join()).not.toContain('secret');
  });

  it('opens after a rotation, and is reported as sealed with a former key', async () => {
    const [old, next] = [newSecretKey(), newSecretKey()];
    const [before, during, after] = [
      await createSealer([old]),
      await createSealer([next, old]),
      await createSealer([next]),
    ];
    const sealed = await before.seal('secret', place);
    expect(await during.open(sealed, place)).toBe('secret');
    expect(during.keyIdOf(sealed)).not.toBe(during.currentKeyId);
    const resealed = await during.seal('secret', place);
    expect(await after.open(resealed, place)).toBe('secret');
    await expect(after.open(sealed, place)).rejects.toThrow('not configured');
  });

  it('opens neither with a derived key nor with one for another purpose', async () => {
    const sealer = await createSealer([newSecretKey()]);
    const [one, two] = [await sealer.derive('cursor'), await sealer.derive('other')];
    const sealed = await one.seal('x', place);
    expect(await (await sealer.derive('cursor')).open(sealed, place)).toBe('x');
    await expect(two.open(sealed, place)).rejects.toThrow();
    await expect(sealer.open(sealed, place)).rejects.toThrow();
  });

  it('needs keys of 32 bytes, and at least one', async () => {
    for (const keys of [[], ['c2hvcnQ='], [randomBytes(33).toString('base64')], ['']])
      await expect(createSealer(keys)).rejects.toThrow('SECRET_KEY');
  });
});

describe('a cursor', () => {
  it('contains the position of a row, and is bound to its list', async () => {
    const sealer = await createSealer([newSecretKey()]);
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'opened',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.uuid(), async (key, id) => {
        const cursor = await sealCursor(sealer, list, { key: key.toWellFormed(), id });
        expect(await openCursor(sealer, list, cursor)).toEqual({ key: key.toWellFormed(), id });
        expect(cursor).toMatch(/^[\w.-]+$/);
        const others = [{ resource: 'farm.list' }, { filters: {} }, { sort: '-name' }, { scope: [id] }];
        for (const other of others)
          expect(await codeOf(openCursor(sealer, { ...list, ...other }, cursor))).toBe('malformed_cursor');
      }),
      { numRuns: 20 },
    );
    expect(await codeOf(openCursor(sealer, list, 'x'))).toBe('malformed_cursor');
  });

  it('does not depend on the order of filters', async () => {
    const sealer = await createSealer([newSecretKey()]);
    const cursor = await sealCursor(
      sealer,
      { ...list, filters: { a: 1, b: undefined, c: 2 } },
      { key: 'k', id: 'i' },
    );
    expect(await openCursor(sealer, { ...list, filters: { c: 2, a: 1 } }, cursor)).toEqual({
      key: 'k',
      id: 'i',
    });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertPassword } from '../../../shared/identity/password-policy.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { networkOf } from '../../../shared/kernel/networks.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';

const cheap = { cost: 2 ** 4, concurrency: 2 };

describe('the password hasher', () => {
  it('verifies the password in any Unicode form, and no other', async () => {
    const hasher = createHasher(cheap);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (password) => {
        const hash = await hasher.hash(password);
        expect(await hasher.verify(password.normalize('NFD'), hash)).toBe(true);
        expect(await hasher.verify(`${password}x`, hash)).toBe(false);
        expect(hash).not.toBe(await hasher.hash(password));
      }),
      { numRuns: 15 },
    );
  });

  it('rejects any password for an unknown user and for an unreadable hash', async () => {
    const hasher = createHasher(cheap);
    for (const stored of [null, '', 'plain', 'md5$x', 'scrypt$16$8$5$$'])
      expect([stored, await hasher.verify('', stored).catch(() => false)]).toEqual([stored, false]);
  });

  it('detects hashes with other parameters, and still verifies them', async () => {
    const [old, now] = [createHasher({ ...cheap, cost: 2 ** 5 }), createHasher(cheap)];
    const hash = await old.hash('secret');
    expect([now.isOutdated(hash), old.isOutdated(hash), now.isOutdated('md5$x')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await now.verify('secret', hash)).toBe(true);
  });

  it('creates hashes with the parameters for production', async () => {
    const hash = await createHasher().hash('secret');
    expect(hash).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/);
    // The limit of Cloudflare's runtime.
    expect(16_384 * 8 * 5).toBeLessThanOrEqual(1_048_576);
  });

  it('refuses calls beyond the queue limit, and serves the others', async () => {
    const hasher = createHasher({ cost: 2 ** 4, concurrency: 1, maxWaiting: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => hasher.hash('x')));
    const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
    expect(refused).toEqual(Array(6).fill('overloaded'));
    expect(await hasher.hash('x')).toMatch(/^scrypt/);
  });

  it('makes a flood from one network wait for itself: other networks, known and signed-in users are served', async () => {
    const hasher = createHasher({ cost: 2 ** 4, concurrency: 1, maxWaiting: 4 });
    const flood = { line: 'unknown', owner: '203.0.113.9' } as const;
    const ended: string[] = [];
    const note = (name: string, work: Promise<unknown>) =>
      work.then(
        () => ended.push(name),
        (error) => ended.push(`${name} ${error.code}`),
      );
    const all = Array.from({ length: 30 }, () => note('flood', hasher.verify('guess', null, flood)));
    all.push(
      note('other', hasher.verify('x', null, { line: 'unknown', owner: '203.0.113.10' })),
      note('known', hasher.verify('x', null, { line: 'known', owner: flood.owner })),
      note('new user', hasher.hash('x')),
    );
    await Promise.all(all);
    const served = ended.filter((name) => !name.endsWith('overloaded'));
    expect(served.slice().sort()).toEqual([...Array(4).fill('flood'), 'known', 'new user', 'other']);
    // The flood held three of the four places in its queue when the other request arrived, and one was running.
    expect(served.indexOf('known')).toBeLessThanOrEqual(3);
    expect(served.indexOf('new user')).toBeLessThanOrEqual(3);
    expect(ended).toHaveLength(33);
  });
});

describe('the password policy', () => {
  const parameters = parametersFrom(null);
  const codeOf = (password: string, name = 'ada', twoFactor = false): string => {
    try {
      assertPassword(password, { name, domain: { twoFactor } }, parameters, '/new');
      return 'ok';
    } catch (error) {
      return error instanceof AppError ? String(error.members.errors?.[0]?.code) : String(error);
    }
  };

  it('counts characters, not code units, after composition', () => {
    expect(codeOf('👍'.repeat(14))).toBe('too_short');
    expect(codeOf('👍'.repeat(15))).toBe('ok');
    expect(codeOf('é'.normalize('NFD').repeat(14))).toBe('too_short');
    expect(codeOf('👍'.repeat(256))).toBe('ok');
    expect(codeOf('👍'.repeat(257))).toBe('too_long');
    expect(codeOf('eight888', 'ada', true)).toBe('ok');
    expect(codeOf('seven77', 'ada', true)).toBe('too_short');
  });

  it('rejects common passwords in any case, and those that contain the name', () => {
    expect(codeOf('PassWord1', 'ada', true)).toBe('common');
    expect(codeOf('Trustno1', 'ada', true)).toBe('common');
    expect(codeOf('countess ADA of lovelace')).toBe('contains_name');
    expect(codeOf('пароль ЁЛКА на год', 'ёлка')).toBe('contains_name');
    expect(codeOf('it is a long way home', 'it')).toBe('ok');
  });

  it('requires no character classes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'bcdfghjklmn'), minLength: 18, maxLength: 200 }),
        (password) => {
          expect(codeOf(password)).toBe('ok');
        },
      ),
    );
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['', 'unknown'],
    ['nobody', 'unknown'],
  ])('%s is %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });

  it('is the same for all addresses of a /64', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const network = networkOf(ip);
        if (network.endsWith('/64')) expect(networkOf(network.slice(0, -3))).toBe(network);
      }),
    );
  });
});

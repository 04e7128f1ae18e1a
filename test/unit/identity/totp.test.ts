import { describe, expect, it } from 'vitest';
import { newRecoveryCodes, recoveryHash } from '../../../shared/identity/second-factor/recovery-codes.ts';
import { newSecret, stepOf, uriOf } from '../../../shared/identity/second-factor/totp.ts';
import { codeOf, fromBase32 } from '../../support/identity/totp-device.ts';

/** RFC 6238, appendix B: the secret `12345678901234567890`, SHA-1; the last six of its eight digits. */
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];
const at = (seconds: number): Date => new Date(seconds * 1000);

describe('a time-based code', () => {
  it.each(vectors)('of RFC 6238 at %d s is that of its step', (seconds, code) => {
    expect(stepOf(rfcSecret, code, at(seconds), 0)).toBe(Math.floor(seconds / 30));
    expect(codeOf(rfcSecret, at(seconds))).toBe(code);
  });

  it('is accepted in its step and in the adjacent ones, to the second', () => {
    const code = codeOf(rfcSecret, at(3_000_000));
    const accepts = (seconds: number) => stepOf(rfcSecret, code, at(seconds), 0) === 100_000;
    const edges = [2_999_969, 2_999_970, 3_000_000, 3_000_029, 3_000_030, 3_000_059, 3_000_060];
    expect(edges.map(accepts)).toEqual([false, true, true, true, true, true, false]);
  });

  it('is used up with its step, together with earlier steps', () => {
    const step = 100_000;
    const of = (past: number, after: number) =>
      stepOf(rfcSecret, codeOf(rfcSecret, at((step + past) * 30)), at(step * 30), after);
    expect([of(-1, step - 2), of(0, step - 1), of(1, step)]).toEqual([step - 1, step, step + 1]);
    expect([of(-1, step - 1), of(0, step), of(-1, step), of(1, step + 1)]).toEqual(Array(4).fill(undefined));
  });

  it('has to wait for the last accepted step when the clock is set back', () => {
    const code = codeOf(rfcSecret, at(3_000_000));
    expect(stepOf(rfcSecret, code, at(3_000_000), 999_999)).toBeUndefined();
  });

  it('has exactly six digits', () => {
    const code = codeOf(rfcSecret, at(59));
    const others = [
      '',
      code.slice(1),
      `${code}0`,
      ` ${code}`,
      `+${code.slice(1)}`,
      '٢٨٧٠٨٢',
      'abcdef',
      '1e5000',
    ];
    for (const other of others)
      expect([other, stepOf(rfcSecret, other, at(59), 0)]).toEqual([other, undefined]);
  });
});

describe('a TOTP secret', () => {
  it('has 160 bits, is different each time, and is in the URI for devices', () => {
    const secrets = Array.from({ length: 20 }, newSecret);
    expect(new Set(secrets).size).toBe(20);
    for (const secret of secrets) expect(fromBase32(secret)).toHaveLength(20);
    const uri = new URL(uriOf('Portal: north & south', 'corp/ada:x', rfcSecret));
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(uri.pathname)).toBe('/Portal  north & south:corp/ada x');
    expect([uri.searchParams.get('secret'), uri.searchParams.get('issuer')]).toEqual([
      rfcSecret,
      'Portal  north & south',
    ]);
  });
});

describe('recovery codes', () => {
  it('are ten different ones, and accepted with any spacing', () => {
    const codes = Array.from({ length: 50 }, newRecoveryCodes).flat();
    expect([codes.length, new Set(codes).size]).toEqual([500, 500]);
    for (const code of codes) expect(code).toMatch(/^(?:[A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/);
    const [code = '', other = ''] = codes;
    expect(recoveryHash(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toBe(recoveryHash(code));
    expect(recoveryHash(other)).not.toBe(recoveryHash(code));
  });
});

import { describe, expect, test, vi } from 'vitest';
import { withinDeadline } from '../../../shared/remotes/http/deadline.ts';
import { toTransportError } from '../../../shared/remotes/http/faults.ts';

const never = () => new Promise<never>(() => undefined);
const coded = (code: string, cause?: unknown) => Object.assign(new Error('x', { cause }), { code });

describe('a total deadline', () => {
  test.each([0, -5])('no call is started with %d ms left', async (left) => {
    const work = vi.fn(never);
    await expect(withinDeadline(left, undefined, work)).rejects.toMatchObject({ reason: 'timeout' });
    expect(work).not.toHaveBeenCalled();
  });

  test('no call is started for a cancelled request', async () => {
    const work = vi.fn(never);
    const outcome = withinDeadline(1000, AbortSignal.abort(), work);
    await expect(outcome).rejects.toMatchObject({ reason: 'timeout' });
    expect(work).not.toHaveBeenCalled();
  });

  test('a task that ignores its signal is abandoned, and its signal is aborted', async () => {
    let given: AbortSignal | undefined;
    const outcome = withinDeadline(10, undefined, (signal) => {
      given = signal;
      return never();
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'timeout' });
    expect(given?.aborted).toBe(true);
  });
});

describe('network errors', () => {
  test.each([
    ['CERT_NOT_YET_VALID', 'tls', 'not_yet_valid'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', 'unknown_ca'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', 'unknown_ca'],
    ['CERT_REVOKED', 'tls', 'unknown'],
    ['INVALID_PURPOSE', 'tls', 'unknown'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'unknown'],
    ['ENOTFOUND', 'unreachable', undefined],
    ['ECONNRESET', 'unreachable', undefined],
    ['UND_ERR_SOCKET', 'unreachable', undefined],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', undefined],
    ['HPE_INVALID_CONSTANT', 'malformed', undefined],
  ])('%s is reported as %s, also as the cause of another error', (code, reason, tlsReason) => {
    for (const error of [coded(code), new TypeError('fetch failed', { cause: coded(code) })]) {
      expect(toTransportError(error)).toMatchObject({ reason, tlsReason, code });
    }
  });

  test('a programming error is not converted', () => {
    for (const error of [coded('UND_ERR_INVALID_ARG'), coded('ERR_INVALID_URL'), new TypeError('x')]) {
      expect(toTransportError(error)).toBe(error);
    }
  });
});

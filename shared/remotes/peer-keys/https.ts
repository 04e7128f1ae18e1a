import { AppError, type ErrorCode, type ErrorMembers } from '../../kernel/errors.ts';
import { problemOf } from '../http/problems.ts';
import { type Transport, TransportError, type TransportResponse } from '../http/transport.ts';
import { KeySet, PublicKey } from './shapes.ts';

/** The key set URL of a peer, and optionally the certificate authority of that server. */
export type KeySource = { url: string; ca: string | undefined };

export type PeerKeyRemote = {
  /**
   * Reads the published keys of a peer; unsupported keys are omitted.
   * @throws AppError `upstream_failed`, `upstream_refused`, `upstream_tls`, `upstream_timeout`
   */
  fetch(source: KeySource): Promise<PublicKey[]>;
};

const deadlineMs = 3_000;
const maxBytes = 65_536;

/** Key sets over HTTPS. */
export const createPeerKeyRemote = (transport: Transport): PeerKeyRemote => ({
  fetch: async ({ url, ca }) => {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const request = { method: 'GET', url, headers, deadlineMs, maxBytes, ca, verifyTls: true } as const;
    return keysIn(await transport.send(request).catch(throwProblem));
  },
});

function throwProblem(error: unknown): never {
  if (!(error instanceof TransportError)) throw error;
  const { code, members } = problemOf(error);
  throw failure(code, members, error);
}

function keysIn({ status, text }: TransportResponse): PublicKey[] {
  if (status !== 200) throw failure('upstream_failed', { reason: 'unexpected_status' });
  const set = KeySet.safeParse(parseJson(text));
  if (!set.success) throw failure('upstream_failed', { reason: 'wrong_shape' });
  return set.data.keys.filter(({ use }) => use === undefined || use === 'sig').flatMap(asPublicKey);
}

const asPublicKey = (key: unknown): PublicKey[] => {
  const { data } = PublicKey.safeParse(key);
  return data ? [data] : [];
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const failure = (code: ErrorCode, members: ErrorMembers, cause?: unknown): AppError =>
  new AppError(code, 'The keys of the peer could not be read', members, { cause });

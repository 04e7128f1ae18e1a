import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { addSeconds } from '../../kernel/clock.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { type Card, derOf, readCard } from '../../remotes/kerberos/card.ts';
import { spelled } from '../../remotes/kerberos/names.ts';
import { findPaData, preauthenticationRequired } from '../../remotes/kerberos/replies.ts';
import { createRequest, preflight } from '../../remotes/kerberos/request.ts';
import type { Realm } from '../domains/domain-type.ts';
import { type CardName, chooseName } from './certificate-names.ts';
import { keep, newChallengeToken } from './challenge-state.ts';
import type { CardCtx } from './deps.ts';
import { callRealm } from './kdc-requests.ts';
import { findRealm } from './realm.ts';

export type CardLogin = { certificate: string; chain?: string[] | undefined; username?: string | undefined };

/** The data that a card has to sign, and the data to show to its holder. */
export type SigningTask = {
  token: string;
  realm: string;
  principal: string;
  algorithm: Card['algorithm'];
  toSign: Buffer;
  /** SHA-256 of `toSign`. Some card readers need the data, others the digest. */
  digest: Buffer;
  expiresInS: number;
};

/** A KDC accepts signatures for 300 s, and its clock may differ from the portal's. */
const lifeS = 240;

/**
 * Begins a login by certificate. The response does not contain the KDC's information about the account: a certificate
 * is public, so its sender is not authenticated yet.
 * @throws AppError `not_found`, `invalid_state`, `invalid_request`, `certificate_mismatch`, `rate_limited`,
 *   `upstream_*`
 */
export async function beginCardLogin(
  ctx: CardCtx,
  domainId: string,
  { certificate, chain = [], username }: CardLogin,
): Promise<SigningTask> {
  const realm = await findRealm(ctx.deps.db, domainId);
  const card = readCard(certificate) ?? refuseCertificate('/certificate');
  const between = chain.map((text, at) => derOf(text) ?? refuseCertificate(`/chain/${at}`));
  const name = chooseName(card.names, realm, username);
  const hints = await sendPreflight(ctx, realm, name);
  const drafted = createRequest(name.principal, hints.freshness, ctx.now);
  const token = newChallengeToken();
  const { der } = card;
  const state = {
    ...name,
    certificate: der,
    chain: between,
    drafted,
    cookie: hints.cookie,
    exchanged: undefined,
  };
  await keep(ctx, { token, domainId, expiresAt: addSeconds(ctx.now, lifeS), state });
  return {
    token,
    realm: realm.name,
    principal: spelled(name.principal),
    algorithm: card.algorithm,
    toSign: drafted.toSign,
    digest: createHash('sha256').update(drafted.toSign).digest(),
    expiresInS: lifeS,
  };
}

function refuseCertificate(pointer: string): never {
  const detail =
    'Must be one X.509 certificate in PEM or base64-encoded DER, with an RSA key of at least 2048 bits or a P-256 key';
  throw invalid({ pointer, code: 'invalid_certificate', detail });
}

type Hints = { freshness: Buffer | undefined; cookie: Buffer | undefined };

/** Checks whether the realm accepts certificates, and reads the values that its KDC expects in the next request. */
async function sendPreflight(ctx: CardCtx, realm: Realm, { principal }: CardName): Promise<Hints> {
  const { reply } = await callRealm(ctx, realm, preflight(principal, ctx.now));
  if (reply.kind === 'ticket' || reply.code !== preauthenticationRequired)
    return { freshness: undefined, cookie: undefined };
  if (!findPaData(reply.paData, 'pkRequest'))
    throw new AppError('upstream_refused', 'The realm does not accept certificates', { reason: 'no_pkinit' });
  return {
    freshness: copied(findPaData(reply.paData, 'freshness')),
    cookie: copied(findPaData(reply.paData, 'cookie')),
  };
}

const copied = (bytes: Uint8Array | undefined): Buffer | undefined => bytes && Buffer.from(bytes);

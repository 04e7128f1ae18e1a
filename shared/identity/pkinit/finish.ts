import type { Buffer } from 'node:buffer';
import { findCandidates } from '../../../db/repositories/identity/login/logins.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { type Card, checkSignature, fingerprintOf, readCard } from '../../remotes/kerberos/card.ts';
import { leadsToAnchor, parseAnchors, parseCertificate } from '../../remotes/kerberos/certificate-path.ts';
import { UntrustedKdc } from '../../remotes/kerberos/kdc-signature.ts';
import type { Reply } from '../../remotes/kerberos/replies.ts';
import { signedRequest } from '../../remotes/kerberos/signed-request.ts';
import { verifyReply } from '../../remotes/kerberos/verification.ts';
import type { Realm } from '../domains/domain-type.ts';
import { domainTypeOf } from '../domains/registry.ts';
import type { OpenAttempt, Proof } from '../login/account.ts';
import { admit, type LoginResult } from '../login/admission.ts';
import { refuseAttempt, typesNamedAsTyped } from '../login/attempt.ts';
import { failedLogin, noteUnadmitted } from '../login/failures.ts';
import { assertMayTry } from '../login/limits.ts';
import { exactly } from '../login/user-names.ts';
import { type Challenge, keep, take } from './challenge-state.ts';
import type { CardCtx } from './deps.ts';
import { callRealm, giveBackQuestions, readResponse } from './kdc-requests.ts';
import { realmOf } from './realm.ts';
import { refusalOf } from './refusals.ts';

/** The signature of a card, unchanged. */
export type Signed = { token: string; signature: Buffer | undefined };

/** A resumed login by certificate. */
type TakenUp = { challenge: Challenge; attempt: OpenAttempt; realm: Realm; card: Card };
type Exchanged = { request: Buffer; response: Buffer };

/**
 * Sends the signed request to the KDC, once, and stores the response for `finishCardLogin`.
 * @returns AS-REP (RFC 4120, 5.4.2)
 * @throws AppError as `finishCardLogin`, except errors about the user
 */
export async function sendSignedRequest(ctx: CardCtx, domainId: string, signed: Signed): Promise<Buffer> {
  const takenUp = await takeUp(ctx, domainId, signed.token);
  const exchanged = await exchange(ctx, takenUp, signed.signature);
  const { challenge } = takenUp;
  await keep(ctx, { ...challenge, state: { ...challenge.state, exchanged } });
  return exchanged.response;
}

/**
 * Opens a session for the user that the KDC has authenticated. The challenge is deleted regardless of the result.
 * @throws AppError `login_expired`, `locked_out`, `invalid_signature`, `certificate_*`, `account_*`,
 *   `invalid_credentials`, `forbidden`, `rate_limited`, `upstream_*`
 */
export async function finishCardLogin(ctx: CardCtx, domainId: string, signed: Signed): Promise<LoginResult> {
  const takenUp = await takeUp(ctx, domainId, signed.token);
  const exchanged = await exchange(ctx, takenUp, signed.signature);
  await assertGenuine(ctx, takenUp, exchanged);
  const proof = await proofOf(ctx, takenUp);
  if (!proof) return refuseAttempt(ctx, takenUp.attempt);
  assertNotEnded(takenUp.challenge, proof.account.user);
  const result = await admit(ctx, {}, takenUp.attempt, proof);
  giveBackQuestions(ctx);
  return result;
}

/** Resumes the login. Failures count for the certificate, so that a caller cannot lock the account of another user. */
async function takeUp(ctx: CardCtx, domainId: string, token: string): Promise<TakenUp> {
  const challenge = await take(ctx, domainId, token);
  const { username, certificate } = challenge.state;
  const [candidate] = await findCandidates(
    ctx.deps.db,
    { id: domainId },
    exactly(username),
    typesNamedAsTyped,
  );
  const card = readCard(certificate.toString('base64'));
  if (!candidate || candidate.domain.state === 'disabled' || !card) throw new AppError('login_expired');
  assertNotEnded(challenge, candidate.domain);
  const account = accountKey(domainId, `certificate ${sha256(certificate)}`);
  const tried = await assertMayTry(
    ctx,
    account,
    failedLogin(ctx, { username, authId: domainId }, candidate),
    'certificate',
  );
  return { challenge, attempt: { ...tried, username, candidate }, realm: realmOf(candidate.domain), card };
}

/** @throws AppError `login_expired` if the user or the domain was disabled after the login began, even if enabled again */
function assertNotEnded(
  { begunAt }: Challenge,
  { access_ended_at: endedAt }: { access_ended_at: Date | null },
): void {
  if (endedAt !== null && begunAt <= endedAt) throw new AppError('login_expired');
}

/** The KDC request and its response. The KDC is called once, by the first call that needs it. */
async function exchange(ctx: CardCtx, takenUp: TakenUp, signature: Buffer | undefined): Promise<Exchanged> {
  const { challenge, attempt, realm, card } = takenUp;
  const { exchanged, drafted, chain, cookie } = challenge.state;
  if (exchanged && !signature) return exchanged;
  if (!signature)
    throw invalid({
      pointer: '/signature',
      code: 'required',
      detail: 'Required unless `raw` was called before',
    });
  const checked = checkSignature(card, drafted.toSign, signature);
  if (!checked) return refuseUncounted(ctx, attempt, new AppError('invalid_signature'));
  if (exchanged) return exchanged;
  const request = signedRequest(drafted, card, chain, checked, cookie);
  const { response, reply } = await callRealm(ctx, realm, request);
  if (reply.kind === 'refusal') return refuse(ctx, takenUp, reply);
  return { request, response };
}

/**
 * Refuses and audits without a failure count, because a caller can send a wrong signature with the certificate of
 * another user.
 */
async function refuseUncounted(ctx: CardCtx, { key, failed }: OpenAttempt, error: AppError): Promise<never> {
  await noteUnadmitted(ctx, key, failed, error);
  throw error;
}

async function refuse(
  ctx: CardCtx,
  { challenge: { state }, attempt, realm }: TakenUp,
  { code, status }: Extract<Reply, { kind: 'refusal' }>,
): Promise<never> {
  const refusal = await refusalOf({ code, status }, () => isOfTrusted(state, realm, ctx.now));
  if (refusal instanceof AppError) throw refusal;
  const failed = {
    ...attempt.failed,
    details: { ...attempt.failed.details, code: refusal, krb_error: code },
  };
  return refuseAttempt(ctx, { ...attempt, failed }, refusal);
}

/** True if the card was issued by a trusted authority of the KDC, so that it is not self-made. */
const isOfTrusted = (
  { certificate, chain }: Challenge['state'],
  { trust }: Realm,
  now: Date,
): Promise<boolean> =>
  leadsToAnchor(parseCertificate(certificate), chain.map(parseCertificate), parseAnchors(trust.anchors), now);

async function assertGenuine(
  ctx: CardCtx,
  { challenge: { state }, realm, attempt }: TakenUp,
  { request, response }: Exchanged,
): Promise<void> {
  const reply = readResponse(response);
  const { principal: client, drafted } = state;
  const { nonce, exponent } = drafted;
  try {
    if (reply.kind === 'refusal') throw new UntrustedKdc('malformed');
    await verifyReply({ client, nonce, exponent, request, trust: realm.trust }, reply, ctx.now);
  } catch (error) {
    if (!(error instanceof UntrustedKdc)) throw error;
    const { domain, user_name: user } = attempt.failed;
    ctx.log.warn('the reply of a KDC could not be verified', {
      request_id: ctx.requestId,
      domain,
      user,
      error,
    });
    throw new AppError(
      'upstream_failed',
      'The reply of the KDC could not be verified',
      { reason: `kdc_${error.reason}` },
      { cause: error },
    );
  }
}

/** Runs the account step of a login with the certificate as the proof. */
async function proofOf(
  ctx: CardCtx,
  { challenge: { state }, attempt, realm, card }: TakenUp,
): Promise<Proof | undefined> {
  const { candidate } = attempt;
  if (!candidate) return undefined;
  const holder = { ...state, fingerprint: fingerprintOf(card) };
  const { cards } = domainTypeOf(candidate.domain.type);
  return cards?.prove(ctx, attempt, candidate, holder, realm.cardWithoutDirectoryH);
}

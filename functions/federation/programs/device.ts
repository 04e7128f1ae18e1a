import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import {
  addGrant,
  findWaitingDevice,
  mustHaveFewWaiting,
} from '../../../db/repositories/identity/login/program-grants.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import { failedLogin } from '../../../shared/identity/login/failures.ts';
import { assertMayTry, countAttempt } from '../../../shared/identity/login/limits.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { randomToken, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { networkOf } from '../../../shared/kernel/networks.ts';
import { message } from '../../../shared/messages/message.ts';
import type { FederationDeps } from '../deps.ts';
import { movedOnPage } from '../moved-on-page.ts';
import { type DeviceRequest, requestCookies, requestLifeS, signInPath } from '../program-request.ts';
import { findProvider } from '../provider.ts';
import { browserMark } from './browser-mark.ts';
import { devicePage } from './device-page.ts';
import type { DeviceAnswer, DeviceBody } from './schema.ts';

type Ctx = RequestCtx<FederationDeps>;

const intervalS = 5;

/** Consonants only, so that no code is a word or contains characters that look alike (RFC 8628, 6.1). */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const newUserCode = (): string =>
  Array.from({ length: 8 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

const shown = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
/** The code as it is compared. People type it in lower case, with or without the hyphen. */
const typed = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** Gives a device its codes. @throws AppError `not_found`; `rate_limited` if many devices of the network or of the domain wait */
export async function authorizeDevice(
  ctx: Ctx,
  domainId: string,
  { client_id, client_name, portal }: z.output<typeof DeviceBody>,
): Promise<z.input<typeof DeviceAnswer>> {
  const { domain } = await findProvider(ctx, domainId);
  const [device_code, userCode] = [randomToken(), newUserCode()];
  const expires_at = addSeconds(ctx.now, requestLifeS);
  const grant = {
    id: newId(),
    kind: 'device' as const,
    state: 'waiting' as const,
    authenticator_id: domain.id,
    code_hash: sha256(device_code),
    user_code_hash: sha256(userCode),
    program: client_name ?? client_id ?? '',
    portal: portal ?? null,
    source_ip: ctx.client.ip,
    interval_s: intervalS,
    created_at: ctx.now,
    expires_at,
    kept_until: addSeconds(expires_at, requestLifeS),
  };
  await atomically(ctx.deps.db, (h) => [
    mustHaveFewWaiting(h, { domainId: domain.id, network: networkOf(ctx.client.ip) }, ctx.now),
    ...addGrant(h, grant, ctx.now),
  ]);
  const verification_uri = `${ctx.deps.baseUrl}/device`;
  return {
    device_code,
    user_code: shown(userCode),
    verification_uri,
    verification_uri_complete: `${verification_uri}?user_code=${shown(userCode)}`,
    expires_in: requestLifeS,
    interval: intervalS,
  };
}

/** Wrong user codes of one browser until it is locked. */
const mostTries = 5;

/**
 * Starts the sign-in for the device that shows a code.
 *
 * Wrong codes lock the browser, not the address, which many people can share. A guesser without cookies meets the limits of failed
 * logins: by default 50 per minute and address, 500 per minute in all. There are 20⁸ = 2.6 × 10¹⁰ codes, each valid for ten minutes.
 * While 100 devices wait, all 720,000 tries of a day find one of them with a probability of 0.3 %. The guesser can then only sign the
 * device in with an own account.
 * @throws AppError `forbidden` for a form of another site; `locked_out` after too many wrong codes
 */
export async function enterUserCode(ctx: Ctx, userCode: string): Promise<Document> {
  if (!ctx.client.isOwnPage())
    throw new AppError(
      'forbidden',
      message('Browsers can sign in only on pages of {url}', { url: ctx.deps.baseUrl }),
    );
  const browser = await browserMark(ctx);
  const failed = failedLogin(ctx, { username: '' }, undefined);
  const tried = await assertMayTry(
    ctx,
    `device code ${browser.id}`,
    { ...failed, user_name: null },
    'device_code',
  );
  const code = typed(userCode);
  const found = await findWaitingDevice(ctx.deps.db, sha256(code), ctx.now);
  if (!found) {
    const maxTries = Math.min(mostTries, tried.parameters['lockout.max_tries']);
    const parameters = { ...tried.parameters, 'lockout.max_tries': maxTries };
    if (!(await countAttempt(ctx, { ...tried, parameters }))) throw new AppError('locked_out');
    return devicePage(ctx, { userCode, isWrong: true, cookies: [browser.cookie] });
  }
  const request: DeviceRequest = {
    kind: 'device',
    id: found.id,
    domainId: found.authenticator_id,
    program: found.program,
    portal: found.portal ?? undefined,
    startedAt: found.created_at.getTime(),
    expiresAt: found.expires_at.getTime(),
    ip: found.source_ip,
    userCode: shown(code),
  };
  return movedOnPage(ctx, signInPath(request), await requestCookies(ctx, request));
}

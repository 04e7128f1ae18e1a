import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { asAppError } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  findGrant,
  noteDevicePoll,
  type ProgramGrant,
  revokeGrant,
  useGrant,
} from '../../../db/repositories/identity/login/program-grants.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { loginAnswer } from '../../../shared/identity/login/answers.ts';
import { sameText, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import type { ErrorCode } from '../../../shared/kernel/errors.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import type { FederationDeps } from '../deps.ts';
import { deviceGrant, type TokenAnswer, type TokenBody, type TokenRefusal } from './schema.ts';
import { openProgramSession } from './session.ts';

type Ctx = RequestCtx<FederationDeps>;
type Body = z.output<typeof TokenBody>;
type Token = Answer<z.input<typeof TokenAnswer> | z.input<typeof TokenRefusal>>;

/** Exchanges the code of a program, or that of a device, for a session. Each code counts once. */
export async function exchangeToken(ctx: Ctx, body: Body): Promise<Token> {
  switch (body.grant_type ?? 'authorization_code') {
    case 'authorization_code':
      return exchangeCode(ctx, body);
    case deviceGrant:
      return exchangeDeviceCode(ctx, body);
    default:
      return refusal('unsupported_grant_type', 'Supported are authorization_code and the grant of a device');
  }
}

async function exchangeCode(ctx: Ctx, { code, code_verifier = '', redirect_uri }: Body): Promise<Token> {
  if (code === undefined || !/^[\w.~-]{43,128}$/.test(code_verifier))
    return refusal('invalid_request', 'code and a code_verifier of 43 to 128 characters are required');
  const found = await findGrant(ctx.deps.db, 'loopback', sha256(code));
  if (!found) return invalidGrant();
  const { grant } = found;
  // The code is used up before it is verified, so that a stolen one cannot be tried again.
  if (!(await useGrant(ctx.deps.db, grant.id, ctx.now))) {
    if (grant.state !== 'allowed' || grant.expires_at > ctx.now) await revoke(ctx, found);
    return invalidGrant();
  }
  const isOwn =
    sameText(sha256(code_verifier), grant.code_challenge ?? '') &&
    (redirect_uri === undefined || redirect_uri === grant.redirect_uri);
  return isOwn ? opened(ctx, grant) : invalidGrant();
}

type FoundGrant = NonNullable<Awaited<ReturnType<typeof findGrant>>>;

/** RFC 6749, 4.1.2: a second use means that the code was stolen, so the session of the first one ends. */
async function revoke(ctx: Ctx, { grant, user, domain }: FoundGrant): Promise<void> {
  const event = auditEntry(ctx, {
    event: 'portal.UserLogout',
    category: 'auth',
    level: 'warning',
    user_name: user && escapeControls(user.name),
    user_id: user?.id ?? null,
    domain,
    object_type: 'session',
    object_id: grant.session_id,
    details: { by: 'repeated_code', program: escapeControls(grant.program) },
  });
  await atomically(ctx.deps.db, (h) => [
    ...revokeGrant(h, grant.id),
    ...(grant.session_id === null ? [] : [appendAudit(h, event)]),
  ]);
}

async function exchangeDeviceCode(ctx: Ctx, { device_code }: Body): Promise<Token> {
  if (device_code === undefined) return refusal('invalid_request', 'device_code is required');
  const found = await findGrant(ctx.deps.db, 'device', sha256(device_code));
  if (!found) return invalidGrant();
  const { grant } = found;
  if (grant.state === 'denied') return refusal('access_denied', 'The person has refused the device');
  if (grant.state !== 'waiting' && grant.state !== 'allowed') return invalidGrant();
  if (grant.expires_at <= ctx.now) return refusal('expired_token', 'The code of the device has expired');
  if (grant.state === 'waiting') return waiting(ctx, grant);
  return (await useGrant(ctx.deps.db, grant.id, ctx.now)) ? opened(ctx, grant) : invalidGrant();
}

/** Requests through a slow network can arrive a little closer to each other than they were sent. */
const toleranceMs = 1_000;

/** RFC 8628, 3.5: a device that asks too early must wait 5 seconds longer from then on. */
async function waiting(ctx: Ctx, { id, polled_at, interval_s }: ProgramGrant): Promise<Token> {
  const passedMs = polled_at === null ? Number.POSITIVE_INFINITY : ctx.now.getTime() - polled_at.getTime();
  const isEarly = passedMs < interval_s * 1_000 - toleranceMs;
  await noteDevicePoll(ctx.deps.db, id, interval_s + (isEarly ? 5 : 0), ctx.now);
  return isEarly
    ? refusal('slow_down', 'The device has asked too early. Add 5 seconds to the interval')
    : refusal('authorization_pending', 'The person has not decided yet');
}

const refusedCodes: readonly ErrorCode[] = [
  'login_expired',
  'invalid_credentials',
  'forbidden',
  'account_disabled',
];

async function opened(ctx: Ctx, grant: ProgramGrant): Promise<Token> {
  try {
    const login = loginAnswer(await openProgramSession(ctx, grant));
    return new Answer({ ...login, access_token: login.token, token_type: 'Bearer' });
  } catch (error) {
    if (!refusedCodes.includes(asAppError(error).code)) throw error;
    return invalidGrant();
  }
}

const invalidGrant = (): Token =>
  refusal('invalid_grant', 'The code is not valid, has expired or was used before');

const refusal = (error: z.input<typeof TokenRefusal>['error'], error_description: string): Token =>
  new Answer({ error, error_description }, { status: 400 });

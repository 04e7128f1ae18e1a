import { html } from 'hono/html';
import type { z } from 'zod';
import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { addGrant, decideDevice } from '../../../db/repositories/identity/login/program-grants.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { Answer, type Document } from '../../../shared/http/serve/answer.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { randomToken, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError, conflict } from '../../../shared/kernel/errors.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import { programText } from '../../../shared/messages/program-pages.ts';
import type { FederationDeps } from '../deps.ts';
import {
  type DeviceRequest,
  expiredRequest,
  type LoopbackRequest,
  type ProgramRequest,
  requestOf,
  withoutRequest,
} from '../program-request.ts';
import { consentPage } from './consent-page.ts';
import { issuerOf } from './issuer.ts';
import { programPage } from './page.ts';
import type { ConsentBody } from './schema.ts';

type UserCtx = RequestCtx<FederationDeps, UserPrincipal>;

/** Seconds until an authorization code expires, and until a second use of it has no effect any more. */
const codeLifeS = 60;
const codeKeptS = 3_600;

/** @throws AppError `login_expired`; `forbidden` for a user of another domain */
export const showConsent = async (ctx: UserCtx, id: string): Promise<Document> =>
  consentPage(ctx, await ownRequest(ctx, id));

/**
 * Stores the decision of the person, and returns the browser to the program.
 * @throws AppError `login_expired`; `forbidden` for a user of another domain; `invalid_state` if the page was shown to
 *   another user
 */
export async function decide(
  ctx: UserCtx,
  id: string,
  { decision, account }: z.output<typeof ConsentBody>,
): Promise<Answer | Document> {
  const request = await ownRequest(ctx, id);
  if (account !== ctx.principal.user.id)
    throw conflict('other_account', 'Another account has signed in since the page was opened');
  const isAllowed = decision === 'allow';
  return request.kind === 'device'
    ? decideForDevice(ctx, request, isAllowed)
    : decideForLoopback(ctx, request, isAllowed);
}

async function ownRequest(ctx: UserCtx, id: string): Promise<ProgramRequest> {
  const request = await requestOf(ctx, id);
  if (request.domainId !== ctx.principal.domain.id)
    throw new AppError('forbidden', 'The program asks for an account of another domain');
  return request;
}

async function decideForLoopback(
  ctx: UserCtx,
  request: LoopbackRequest,
  isAllowed: boolean,
): Promise<Answer> {
  const code = randomToken();
  await note(ctx, request, isAllowed, (h) =>
    isAllowed ? addGrant(h, grantOf(ctx, request, code), ctx.now) : [],
  );
  const location = new URL(request.redirectUri);
  const answer = {
    ...(isAllowed ? { code } : { error: 'access_denied' }),
    ...(request.state !== undefined && { state: request.state }),
    iss: issuerOf(ctx, request.domainId),
  };
  for (const [name, value] of Object.entries(answer)) location.searchParams.set(name, value);
  return new Answer(undefined, {
    status: 303,
    headers: { location: location.href },
    cookies: [withoutRequest(request.id)],
  });
}

const grantOf = ({ now, client, principal }: UserCtx, request: LoopbackRequest, code: string) => ({
  id: request.id,
  kind: 'loopback' as const,
  state: 'allowed' as const,
  authenticator_id: request.domainId,
  code_hash: sha256(code),
  program: request.program,
  portal: request.portal ?? null,
  source_ip: client.ip,
  code_challenge: request.codeChallenge,
  redirect_uri: request.redirectUri,
  interval_s: 0,
  created_at: now,
  expires_at: addSeconds(now, codeLifeS),
  kept_until: addSeconds(now, codeKeptS),
  allowed_by: principal.session.id,
});

async function decideForDevice(ctx: UserCtx, request: DeviceRequest, isAllowed: boolean): Promise<Document> {
  const decision = isAllowed
    ? { state: 'allowed' as const, allowed_by: ctx.principal.session.id }
    : { state: 'denied' as const, allowed_by: null };
  await note(ctx, request, isAllowed, (h) => decideDevice(h, request.id, decision, ctx.now));
  return programPage(ctx, {
    title: isAllowed ? 'device_allowed' : 'device_denied',
    content: html`<p>${programText('return_to_device', ctx.language)}</p>`,
    cookies: [withoutRequest(request.id)],
  });
}

/** Runs the statements of a decision in one batch with its audit event. A request is decided about once. */
async function note(
  ctx: UserCtx,
  { kind, program }: ProgramRequest,
  isAllowed: boolean,
  statements: (h: Db) => Statement[],
): Promise<void> {
  const { session } = ctx.principal;
  const event = auditEntry(ctx, {
    event: isAllowed ? 'portal.ProgramAllowed' : 'portal.ProgramDenied',
    category: 'auth',
    object_type: 'session',
    object_id: session.id,
    details: { program: escapeControls(program), by: kind },
  });
  try {
    await atomically(ctx.deps.db, (h) => [...statements(h), appendAudit(h, event)]);
  } catch (error) {
    throw isUniqueViolation(error) ? expiredRequest() : error;
  }
}

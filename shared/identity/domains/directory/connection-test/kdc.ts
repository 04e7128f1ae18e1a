import { AppError } from '../../../../kernel/errors.ts';
import { type Detail, joined, type Text, verbatim } from '../../../../messages/message.ts';
import { nameTypes } from '../../../../remotes/kerberos/names.ts';
import { findPaData, preauthenticationRequired, type Reply } from '../../../../remotes/kerberos/replies.ts';
import { preflight } from '../../../../remotes/kerberos/request.ts';
import { readResponse } from '../../../pkinit/kdc-requests.ts';
import type { Check, TestCtx } from '../../domain-type.ts';
import { nameInDirectory } from '../login/login-name.ts';
import type { TypedParams } from '../variant.ts';

/** A name of no user. The reply still shows that the KDC responds. */
const placeholder = 'aggregator';
/** Error codes of a KDC that serves another realm: server not found (RFC 4120, 7.5.9), wrong realm. */
const ofOtherRealm = new Set([7, 68]);

/**
 * Tests whether each KDC of a domain responds and, for a name, whether it accepts certificates. The requests run
 * concurrently. If one KDC does not respond, the result is delayed until the time limit: an earlier result would reveal
 * which ports are open.
 */
export async function testKdcs(ctx: TestCtx, params: TypedParams, username = ''): Promise<Check[]> {
  const { kerberos, timeout_s } = params;
  if (!kerberos) return [];
  const start = Date.now();
  const parts = [nameInDirectory(params, username.trim()) || placeholder];
  const message = preflight({ type: nameTypes.principal, parts, realm: kerberos.realm }, ctx.now);
  const call = { deadlineMs: timeout_s * 1_000 };
  const results = await Promise.all(
    kerberos.kdc.map(async (kdc) => {
      const result = await readReplyOf(() => ctx.deps.kdcs.ask({ ...call, kdcs: [kdc] }, message));
      return { ...result, detail: joined([verbatim(kdc), result.detail], ': ') };
    }),
  );
  if (results.some(({ isSilent }) => isSilent))
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + call.deadlineMs - Date.now())));
  const failures = results.filter(({ isFailure }) => isFailure);
  const detail = joined(
    results.map((result) => result.detail),
    '; ',
  );
  return [
    { name: 'kdc', status: failures.length > 0 ? 'fail' : 'pass', detail, took_ms: Date.now() - start },
  ];
}

type Result = { detail: Text; isFailure: boolean; isSilent: boolean };

async function readReplyOf(request: () => Promise<Uint8Array>): Promise<Result> {
  try {
    const reply = readResponse(await request());
    const fault = faultOf(reply);
    return { detail: fault ?? 'responds', isFailure: fault !== undefined, isSilent: false };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isSilent = error.members.reason !== 'address_not_allowed';
    const detail = isSilent ? 'no KDC responds' : error.detail;
    return { detail, isFailure: true, isSilent };
  }
}

function faultOf(reply: Reply): Detail | undefined {
  if (reply.kind === 'ticket') return undefined;
  if (ofOtherRealm.has(reply.code)) return 'does not serve the realm';
  const isOffer = reply.code === preauthenticationRequired;
  return isOffer && !findPaData(reply.paData, 'pkRequest') ? 'does not accept certificates' : undefined;
}

import { atomically, type Db, type Statement } from '../../../../db/client.ts';
import { raisedByMust } from '../../../../db/errors.ts';
import { appendAudit } from '../../../../db/repositories/audit/events.ts';
import { endCredentials, theUser } from '../../../../db/repositories/identity/access-revocation.ts';
import {
  findRegisteredGroups,
  setMemberships,
} from '../../../../db/repositories/identity/directory/accounts.ts';
import {
  type ClaimedGrant,
  dropGrant,
  endGrant,
  noteChecked,
  postponeCheck,
} from '../../../../db/repositories/identity/login/provider-grants.ts';
import { eventBy } from '../../../../shared/context/audit-entry.ts';
import { storedClient } from '../../../../shared/identity/domains/oidc/client.ts';
import { storedParams } from '../../../../shared/identity/domains/oidc/settings/params.ts';
import { openGrant, sealGrant } from '../../../../shared/identity/providers/grant.ts';
import { followGroups, groupKeys } from '../../../../shared/identity/providers/groups.ts';
import { type AccountRules, rulesOf } from '../../../../shared/identity/providers/rules.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { Sealer } from '../../../../shared/kernel/crypto/sealing.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import { escapeControls } from '../../../../shared/kernel/text.ts';
import { OidcError, type OidcRemote, type ProviderLogin } from '../../../../shared/remotes/oidc/port.ts';
import type { CachedParameters } from '../parameters.ts';

export type ProviderCheckParts = {
  db: Db;
  sealer: Sealer;
  providers: OidcRemote;
  clock: Clock;
  log: Pick<Log, 'warn' | 'error'>;
  parameters: CachedParameters;
};

/** Seconds after which a check that had no result is repeated, at most. */
const retryS = 120;

export const intervalOf = ({ parameters }: Pick<ProviderCheckParts, 'parameters'>): number =>
  parameters.current()['oidc.recheck_s'];

/** Seconds until a check is repeated that had no result. */
export const retryAfterS = (parts: ProviderCheckParts): number => Math.min(retryS, intervalOf(parts));

type Claimed = ClaimedGrant & { claim: string };
type EndReason = 'revoked' | 'other_person' | 'no_registered_group' | 'not_admitted' | 'not_checked';

/** What a check says about the provider. `fault`: it gave no result. `unknown`: it was not asked. */
export type Verdict = 'answered' | 'unknown' | { fault: OidcError };

/**
 * Never rejects: a check without a result is repeated.
 * @param isKnownToFail the provider has just failed, and is not asked again before sessions end
 */
export async function check(
  parts: ProviderCheckParts,
  claimed: Claimed,
  isKnownToFail: boolean,
  signal: AbortSignal,
): Promise<Verdict> {
  const { grant, domain, claim, isOverdue } = claimed;
  try {
    if (!isChecked(claimed)) return await giveBack(parts, claimed, signal);
    if (isOverdue && isKnownToFail) return await end(parts, claimed, 'not_checked');
    return await checkGrant(parts, claimed, signal);
  } catch (error) {
    // The sessions have ended meanwhile, or a later check has taken the grant over.
    if (raisedByMust(error)?.code === 'precondition_failed' || signal.aborted) return 'unknown';
    parts.log.error('a session could not be checked at its provider', { domain: domain.id, error });
    // Also for a grant that cannot be read any more.
    const after = isOverdue
      ? end(parts, claimed, 'not_checked')
      : postponeCheck(parts.db, { id: grant.id, claim }, retryAfterS(parts));
    await after.catch(() => undefined);
    return 'unknown';
  }
}

const isChecked = ({ sessions, domain }: Claimed): boolean =>
  sessions > 0 && rulesOf(storedParams(domain.params)).rechecks;

/** The provider learns that nothing uses the grant any more. It ends here in any case. */
async function giveBack(parts: ProviderCheckParts, claimed: Claimed, signal: AbortSignal): Promise<Verdict> {
  const { db, sealer, providers, log } = parts;
  const { grant, domain, claim } = claimed;
  try {
    const { refreshToken } = await openGrant(sealer, grant.id, grant.sealed_grant);
    await providers.revoke(await clientOf(parts, domain), refreshToken, signal);
  } catch (error) {
    log.warn('a grant could not be given back to its provider', { domain: domain.id, error });
  }
  await dropGrant(db, { id: grant.id, claim });
  return 'unknown';
}

async function checkGrant(
  parts: ProviderCheckParts,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Verdict> {
  const { db, sealer } = parts;
  const { grant, domain, user, claim } = claimed;
  const stored = await openGrant(sealer, grant.id, grant.sealed_grant);
  let login: ProviderLogin | 'revoked';
  try {
    login = await parts.providers.refresh(await clientOf(parts, domain), stored, signal);
  } catch (error) {
    if (!(error instanceof OidcError) || signal.aborted) throw error;
    return failed(parts, claimed, error);
  }
  if (login === 'revoked') return end(parts, claimed, 'revoked');
  if (login.subject !== stored.login.subject) return end(parts, claimed, 'other_person');
  const memberships = await membershipsOf(db, claimed, rulesOf(storedParams(domain.params)), login.groups);
  // The groups of service tokens of the user end as well.
  if (!memberships) return end(parts, claimed, 'no_registered_group', (h) => setMemberships(h, user.id, []));
  const next = {
    sealedGrant: await sealGrant(sealer, grant.id, login, login.refreshToken ?? stored.refreshToken),
    checkInS: intervalOf(parts),
  };
  const of = { id: grant.id, claim };
  await atomically(db, (h) => [...noteChecked(h, of, next), ...memberships(h, user.id)]);
  return 'answered';
}

function clientOf({ db, sealer }: ProviderCheckParts, domain: Claimed['domain']) {
  const { client_secret } = domain.params;
  const secrets = { client_secret: typeof client_secret === 'string' ? client_secret : null };
  return storedClient({ db, sealer }, { ...domain, secrets });
}

/** @returns the writes that let the groups follow; undefined if the user is in no registered group any more */
async function membershipsOf(
  db: Db,
  { domain, memberOf }: Claimed,
  { readsGroups }: AccountRules,
  stated: readonly string[] | undefined,
): Promise<((h: Db, userId: string) => Statement[]) | undefined> {
  if (!readsGroups || stated === undefined) return () => [];
  return followGroups(await findRegisteredGroups(db, domain.id, groupKeys(stated)), memberOf, stated);
}

/** The provider has answered, and the settings do not let the person in any more. */
const notAdmitted: readonly string[] = ['claim_not_allowed', 'email_unverified', 'tenant_not_allowed'];

/** A provider that is down, or refuses the portal itself, does not end sessions at once. */
async function failed(parts: ProviderCheckParts, claimed: Claimed, error: OidcError): Promise<Verdict> {
  const { grant, claim, isOverdue } = claimed;
  if (error.reason === 'subject_mismatch') return end(parts, claimed, 'other_person');
  if (notAdmitted.includes(error.reason)) return end(parts, claimed, 'not_admitted');
  if (isOverdue) await end(parts, claimed, 'not_checked');
  else await postponeCheck(parts.db, { id: grant.id, claim }, retryAfterS(parts));
  return { fault: error };
}

async function end(
  { db, clock }: ProviderCheckParts,
  claimed: Claimed,
  reason: EndReason,
  more: (h: Db) => Statement[] = () => [],
): Promise<Verdict> {
  const { grant, domain, user, claim, sessions } = claimed;
  const event = eventBy({ kind: 'job', name: 'provider checks' }, clock(), {
    event: 'portal.UserLogout',
    category: 'auth',
    user_name: escapeControls(user.name),
    user_id: user.id,
    domain: domain.small_name,
    object_type: 'user',
    object_id: user.id,
    object_name: user.name,
    details: { by: 'provider', sessions, reason },
  });
  await atomically(db, (h) => [
    ...endGrant(h, { id: grant.id, claim }),
    ...endCredentials(h, 'provider_log_out', { users: theUser(user.id) }),
    ...more(h),
    appendAudit(h, event),
  ]);
  return reason === 'not_checked' ? 'unknown' : 'answered';
}

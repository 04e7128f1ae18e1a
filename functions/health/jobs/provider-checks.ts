import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { endCredentials, theUser } from '../../../db/repositories/identity/access-revocation.ts';
import {
  findRegisteredGroups,
  setMemberships,
} from '../../../db/repositories/identity/directory/accounts.ts';
import {
  type ClaimedGrant,
  claimGrants,
  dropGrant,
  endGrant,
  noteChecked,
  postponeCheck,
} from '../../../db/repositories/identity/login/provider-grants.ts';
import { eventBy } from '../../../shared/context/audit-entry.ts';
import { storedClient } from '../../../shared/identity/domains/oidc/client.ts';
import { storedParams } from '../../../shared/identity/domains/oidc/settings/params.ts';
import { openGrant, sealGrant } from '../../../shared/identity/providers/grant.ts';
import { followGroups, groupKeys } from '../../../shared/identity/providers/groups.ts';
import { type AccountRules, rulesOf } from '../../../shared/identity/providers/rules.ts';
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Log } from '../../../shared/kernel/observability/log.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import { OidcError, type OidcRemote, type ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import type { CachedParameters } from './parameters.ts';
import type { Task } from './process/agenda.ts';

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
/** Seconds without a successful check after which sessions end. A provider may be down for a while. */
const longestS = 7_200;

/** Asks identity providers whether sessions may continue, and which groups their users have. */
export const providerCheckTask = (parts: ProviderCheckParts): Task => ({
  name: 'provider checks',
  intervalMs: () => 1_000,
  dueIn: ({ provider_grants }) => (intervalOf(parts) === 0 ? null : provider_grants),
  round: async (signal) => {
    if (intervalOf(parts) === 0) return;
    const claim = newId();
    const claimed = await claimGrants(parts.db, claim);
    const faults = await Promise.all(claimed.map((one) => check(parts, { ...one, claim }, signal)));
    // Once for each domain: a provider that is down fails all of its checks.
    const byDomain = new Map(faults.flatMap((fault) => (fault ? [[fault.domain, fault]] : [])));
    for (const fault of byDomain.values()) parts.log.warn('a provider could not check sessions', fault);
  },
});

const intervalOf = ({ parameters }: ProviderCheckParts): number => parameters.current()['oidc.recheck_s'];

type Claimed = ClaimedGrant & { claim: string };
type EndReason = 'revoked' | 'other_person' | 'no_registered_group' | 'not_admitted' | 'not_checked';

/** A provider that gave no result. */
type Fault = { domain: string; reason: string; providerCode: string | undefined };

/** Never rejects: a check without a result is repeated. */
async function check(
  parts: ProviderCheckParts,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  try {
    return await checkGrant(parts, claimed, signal);
  } catch (error) {
    // The sessions have ended meanwhile, or a later check has taken the grant over.
    if (raisedByMust(error)?.code === 'precondition_failed' || signal.aborted) return undefined;
    parts.log.error('a session could not be checked at its provider', { domain: claimed.domain.id, error });
    // Also for a grant that cannot be read any more.
    if (claimed.uncheckedS > longestS) await end(parts, claimed, 'not_checked').catch(() => undefined);
    return undefined;
  }
}

async function checkGrant(
  parts: ProviderCheckParts,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const { db, sealer } = parts;
  const { grant, domain, user, claim } = claimed;
  const of = { id: grant.id, claim };
  const rules = rulesOf(storedParams(domain.params));
  if (!rules.rechecks) {
    await dropGrant(db, of);
    return undefined;
  }
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
  const memberships = await membershipsOf(db, claimed, rules, login.groups);
  // The groups of service tokens of the user end as well.
  if (!memberships) return end(parts, claimed, 'no_registered_group', (h) => setMemberships(h, user.id, []));
  const next = {
    sealedGrant: await sealGrant(sealer, grant.id, login, login.refreshToken ?? stored.refreshToken),
    checkInS: intervalOf(parts),
  };
  await atomically(db, (h) => [...noteChecked(h, of, next), ...memberships(h, user.id)]);
  return undefined;
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
async function failed(
  parts: ProviderCheckParts,
  claimed: Claimed,
  error: OidcError,
): Promise<Fault | undefined> {
  const { grant, domain, claim, uncheckedS } = claimed;
  if (error.reason === 'subject_mismatch') return end(parts, claimed, 'other_person');
  if (notAdmitted.includes(error.reason)) return end(parts, claimed, 'not_admitted');
  if (uncheckedS > longestS) return end(parts, claimed, 'not_checked');
  await postponeCheck(parts.db, { id: grant.id, claim }, Math.min(retryS, intervalOf(parts)));
  return { domain: domain.id, reason: error.reason, providerCode: error.providerCode };
}

async function end(
  { db, clock }: ProviderCheckParts,
  claimed: Claimed,
  reason: EndReason,
  more: (h: Db) => Statement[] = () => [],
): Promise<undefined> {
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
}

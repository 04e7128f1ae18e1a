import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginChallenges } from '../../../schema/identity/login-challenges.ts';
import { pkinitChallenges } from '../../../schema/identity/pkinit-challenges.ts';
import { clientKeys } from '../../../schema/identity/providers/client-keys.ts';
import { providerGrants } from '../../../schema/identity/providers/grants.ts';
import { providerLogins, providerSessions } from '../../../schema/identity/providers/sessions.ts';
import { signInTests } from '../../../schema/identity/providers/sign-in-tests.ts';
import { secondFactors } from '../../../schema/identity/second-factors.ts';
import { passwordHistory, users } from '../../../schema/identity/users.ts';
import { idempotencyKeys } from '../../../schema/jobs/idempotency-keys.ts';
import { dispatcherSessions } from '../../../schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys } from '../../../schema/routing/ended-node-keys.ts';
import { installation } from '../../../schema/settings/installation.ts';
import { dispatchers } from '../../../schema/sites/dispatchers.ts';
import { webhooks } from '../../../schema/webhooks/webhooks.ts';
import { secretPattern } from '../../identity/secret-members.ts';

/** A column with values sealed by a `Sealer`, with the names that the values are bound to. */
export type SealedColumn = {
  table: PgTable;
  column: PgColumn;
  /** The sealed member of a JSON column; the values are bound to `<column>.<member>`. */
  member?: string;
  /** The names of the sealed members of a JSON column, as a POSIX regular expression; `placesIn` finds the members. */
  members?: string;
  /** The row name that a value is bound to. */
  row: SQL<string>;
  /** The table that the values were sealed for, if they were moved from another table. */
  sealedFor?: PgTable;
  /** Values expire soon, so that an old key may be removed before all of them are resealed. */
  expires?: true;
  whenLost: Loss;
};

/** What follows when no key opens a value any more. */
type Loss = {
  /** What an operator does, or why nothing has to be done. */
  remedy: string;
  /** The name of the record to which the remedy applies. Absent if nothing has to be done. */
  record?: SQL<string>;
  /** The value is deleted, so that its record shows that it has none. Not where a record without a value admits more. */
  isDeleted?: true;
};

const isNode: Loss = {
  remedy: 'enter the health keys of these nodes again',
  record: sql`${dispatchers.name}`,
  isDeleted: true,
};
const signsInAgain: Loss = { remedy: 'nothing to do: sign-ins that were under way begin again' };

/**
 * All columns with sealed values. Values of a column that is missing here are lost when their key is removed. A test
 * compares the list with the places in the code.
 */
export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: dispatchers, column: dispatchers.health_key, row: sql`${dispatchers.id}::text` },
    whenLost: isNode,
  },
  {
    ...{ table: dispatchers, column: dispatchers.account_password, row: sql`${dispatchers.id}::text` },
    whenLost: { ...isNode, remedy: 'enter the passwords of the accounts on these nodes again' },
  },
  {
    table: dispatcherSessions,
    column: dispatcherSessions.sealed_key,
    row: sql`${dispatcherSessions.dispatcher_id} || '/' || ${dispatcherSessions.subject}`,
    expires: true,
    whenLost: { remedy: 'nothing to do: the portal logs in to the nodes again' },
  },
  {
    table: endedNodeKeys,
    column: endedNodeKeys.sealed_key,
    row: sql`${endedNodeKeys.dispatcher_id} || '/' || ${endedNodeKeys.subject}`,
    sealedFor: dispatcherSessions,
    expires: true,
    whenLost: {
      remedy: 'nothing to do: these session keys are not revoked at their nodes, where they expire',
    },
  },
  {
    table: idempotencyKeys,
    column: idempotencyKeys.sealed_body,
    row: sql`coalesce(${idempotencyKeys.user_id}, ${idempotencyKeys.peer_id}) || '/' || ${idempotencyKeys.key}`,
    expires: true,
    whenLost: {
      remedy: 'nothing to do: they expire; a request that is repeated with its key fails until then',
    },
  },
  {
    ...{ table: signInTests, column: signInTests.sealed_result, row: sql`${signInTests.id}::text` },
    expires: true,
    whenLost: { remedy: 'nothing to do: these test sign-ins can be repeated' },
  },
  {
    ...{ table: pkinitChallenges, column: pkinitChallenges.sealed_state },
    row: sql`${pkinitChallenges.token_hash}`,
    expires: true,
    whenLost: signsInAgain,
  },
  {
    ...{ table: providerSessions, column: providerSessions.sealed_id_token },
    row: sql`${providerSessions.session_id}::text`,
    whenLost: {
      remedy: 'nothing to do: these sessions do not end at the identity provider when they end here',
    },
  },
  {
    ...{ table: providerGrants, column: providerGrants.sealed_grant, row: sql`${providerGrants.id}::text` },
    whenLost: { remedy: 'nothing to do: these sessions end within two hours, and their users sign in again' },
  },
  {
    ...{ table: providerLogins, column: providerLogins.sealed_state, row: sql`${providerLogins.token_hash}` },
    expires: true,
    whenLost: signsInAgain,
  },
  {
    ...{ table: authenticators, column: authenticators.params, row: sql`${authenticators.id}::text` },
    members: secretPattern,
    whenLost: {
      remedy: 'enter this secret of these domains again',
      record: sql`${authenticators.small_name}`,
      isDeleted: true,
    },
  },
  {
    ...{ table: clientKeys, column: clientKeys.sealed_private_key, row: sql`${clientKeys.id}::text` },
    whenLost: {
      remedy: 'create new keys of these domains',
      record: sql`(select ${authenticators.small_name} from ${authenticators}
        where ${authenticators.id} = ${clientKeys.authenticator_id})`,
    },
  },
  {
    ...{
      table: secondFactors,
      column: secondFactors.sealed_secret,
      row: sql`${secondFactors.user_id}::text`,
    },
    whenLost: {
      remedy: 'run npm run admin -- reset-2fa for these users',
      record: sql`(select ${authenticators.small_name} || '/' || ${users.name} from ${users}
        join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
        where ${users.id} = ${secondFactors.user_id})`,
    },
  },
  {
    ...{ table: webhooks, column: webhooks.sealed_query, row: sql`${webhooks.id}::text` },
    whenLost: {
      remedy: 'enter the addresses of these webhooks again, with their queries',
      record: sql`${webhooks.name}`,
    },
  },
  {
    ...{ table: webhooks, column: webhooks.sealed_secret, row: sql`${webhooks.id}::text` },
    whenLost: {
      remedy: 'rotate the secrets of these webhooks, and enter the new ones at their receivers',
      record: sql`${webhooks.name}`,
      isDeleted: true,
    },
  },
  {
    ...{ table: webhooks, column: webhooks.sealed_former_secret, row: sql`${webhooks.id}::text` },
    whenLost: { remedy: 'nothing to do: former secrets do not sign any more', isDeleted: true },
  },
  {
    ...{ table: passwordHistory, column: passwordHistory.sealed_hash, row: sql`${passwordHistory.id}::text` },
    whenLost: { remedy: 'nothing to do: these former passwords can be used again' },
  },
  {
    ...{ table: installation, column: installation.secret_key_check, row: sql`'installation'` },
    whenLost: { remedy: 'run npm run admin -- replace-lost-key' },
  },
  {
    ...{
      table: loginChallenges,
      column: loginChallenges.sealed_secret,
      row: sql`${loginChallenges.id}::text`,
    },
    expires: true,
    whenLost: signsInAgain,
  },
];

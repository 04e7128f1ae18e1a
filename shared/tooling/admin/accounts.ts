import { createInterface } from 'node:readline';
import { atomically, type Db } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { endCredentials, theUser } from '../../../db/repositories/identity/access-revocation.ts';
import { findAccount, setPassword } from '../../../db/repositories/identity/break-glass.ts';
import { liftLocks } from '../../../db/repositories/identity/login/logins.ts';
import { removeSecondFactors } from '../../../db/repositories/identity/second-factors.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import { domainTypeOf } from '../../identity/domains/registry.ts';
import { retirePassword } from '../../identity/password-history.ts';
import { assertPassword, shortestPassword } from '../../identity/password-policy.ts';
import { createHasher } from '../../identity/passwords.ts';
import { randomToken } from '../../kernel/crypto/digests.ts';
import type { Sealer } from '../../kernel/crypto/sealing.ts';
import { parametersFrom } from '../../kernel/system-parameters.ts';
import { foldName } from '../../kernel/text.ts';
import { loadSettings } from '../start/settings.ts';
import { breakGlassEvent, withDatabase } from './database.ts';

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;

/**
 * Sets a password, ends the user's sessions and removes locks. A generated password must be changed at the next
 * login, because it was displayed on a terminal; a typed one need not.
 * @param named `<domain>/<user>`
 * @throws Error for accounts without a local password, and for passwords that violate the policy
 */
export async function resetPassword(named: string, isTyped: boolean): Promise<void> {
  const typed = isTyped ? await firstLine() : undefined;
  const { user, domain } = await onAccount(named, async (db, account, sealer) => {
    assertHasPassword(named, account);
    const password = typed ?? generate(account);
    await storePassword({ db, sealer }, account, password, typed === undefined);
    if (typed === undefined)
      say(`The password of ${named} is: ${password}\nIt must be changed at the next login.`);
    return account;
  });
  say(`The password of ${named} is set. The sessions of the user have ended and the locks are removed.`);
  if (user.state === 'inactive') say('The user is inactive: activate the user to allow logins.');
  if (domain.state === 'disabled') say('The domain is disabled: enable it to allow logins.');
}

/** Removes the locks of an account for all networks. */
export async function unlock(named: string): Promise<void> {
  await onAccount(named, (db, { user }) =>
    atomically(db, (h) => [liftLocks(h, keyOf(user)), appendAudit(h, eventOf('unlock', user))]),
  );
  say(`The locks of ${named} are removed.`);
}

/** Deletes the second factor of a user. If the domain requires one, the user enrols again at the next login. */
export async function resetSecondFactor(named: string): Promise<void> {
  await onAccount(named, async (db, { user, isEnrolled }) => {
    if (!isEnrolled) return say(`${named} has no second factor.`);
    const event = eventOf('reset_two_factor', user);
    await atomically(db, (h) => [
      ...removeSecondFactors(h, user.id),
      ...endCredentials(h, 'second_factor_reset', { users: theUser(user.id) }),
      appendAudit(h, event),
    ]);
    say(`The second factor of ${named} is removed, with its recovery codes.`);
  });
}

/** Finds the account and runs the work. @throws Error for an unknown account */
async function onAccount<T>(
  named: string,
  work: (db: Db, account: Account, sealer: Sealer) => Promise<T>,
): Promise<T> {
  const [, domain, user] = /^([^/]+)\/(.+)$/.exec(named) ?? [];
  if (domain === undefined || user === undefined)
    throw new Error(`<domain>/<user> is expected, not "${named}"`);
  return withDatabase(await loadSettings(), async (db, sealer) => {
    const account = await findAccount(db, foldName(domain), foldName(user));
    if (!account) throw new Error(`There is no user ${named}`);
    return work(db, account, sealer);
  });
}

function assertHasPassword(named: string, { user, domain }: Account): void {
  if (user.kind === 'service') throw new Error(`${named} is a service, which has no password`);
  if (!domainTypeOf(domain.type).supports.ownPassword)
    throw new Error(`The password of ${named} is managed by its directory`);
}

/** Generates a password of the length that the policy requires, at least 24 characters. */
function generate({ domain, parameters }: Account): string {
  const shortest = shortestPassword(parametersFrom(parameters), { twoFactor: domain.two_factor });
  let password = randomToken().slice(0, 24);
  while (password.length < shortest) password += randomToken();
  return password;
}

async function storePassword(
  { db, sealer }: { db: Db; sealer: Sealer },
  { user, domain, parameters }: Account,
  password: string,
  mustChange: boolean,
): Promise<void> {
  const owner = { name: user.name, domain: { twoFactor: domain.two_factor } };
  assertPassword(password, owner, parametersFrom(parameters), 'password');
  const hash = await createHasher().hash(password);
  const at = new Date();
  const former = user.password_hash;
  const retire =
    former === null ? undefined : await retirePassword(sealer, { userId: user.id, hash: former, at });
  await atomically(db, (h) => [
    liftLocks(h, keyOf(user)),
    setPassword(h, user.id, { hash, mustChange, at }),
    ...(retire?.(h) ?? []),
    ...endCredentials(h, 'password_reset', { users: theUser(user.id) }),
    appendAudit(h, eventOf('reset_password', user)),
  ]);
}

const keyOf = (user: Account['user']): string => accountKey(user.authenticator_id, user.name_key);

const eventOf = (action: string, { id, name }: Account['user']) =>
  breakGlassEvent(action, {
    event: 'portal.EntityAction',
    object_type: 'user',
    object_id: id,
    object_name: name,
  });

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line;
  throw new Error('--password: the first line of standard input is expected');
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

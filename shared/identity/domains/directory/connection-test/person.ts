import { findRegisteredGroups } from '../../../../../db/repositories/identity/directory/accounts.ts';
import { type Detail, joined, message, type Text, verbatim } from '../../../../messages/message.ts';
import type { PasswordVerdict, RefusalReason } from '../../../../remotes/directory/password-verdict.ts';
import type { DirectorySession } from '../../../../remotes/directory/port.ts';
import type { Check, ExternalGroup, TestCtx, TestSubject } from '../../domain-type.ts';
import { findPerson, type Person } from '../entries/people.ts';
import { groupKeys, isRegisteredIn } from '../groups/registered-groups.ts';
import { findGroupsBySid, groupsOf } from '../groups/search.ts';
import { isNameable } from '../login/account.ts';
import {
  type AccountState,
  accountState,
  passwordState,
  passwordStateAttributes,
} from '../login/account-state.ts';
import { directoryName } from '../login/login-domains.ts';
import type { DirectoryParams, TypedParams } from '../variant.ts';
import type { Protocol } from './protocol.ts';

export type Subject = Omit<TestSubject, 'params'> & { params: TypedParams };

/** Finds the person of a name in the same way as a login, tests the password if there is one, and lists the groups. */
export async function testPerson(
  ctx: TestCtx,
  session: DirectorySession,
  protocol: Protocol,
  { params, stored, labels, password }: Subject,
  username: string,
): Promise<void> {
  protocol.at('user');
  const domain = { id: stored?.id, labels };
  const name = await directoryName(ctx.deps.directories, { session, params }, domain, username);
  const person = await findPerson(session, params, name, passwordStateAttributes);
  if (!person && name.name === undefined)
    return protocol.note('user', 'fail', 'The name belongs to another domain');
  if (!person) return protocol.note('user', 'fail', 'The directory has no entry with this name, or several');
  const obstacle = obstacleTo(person, password === undefined, ctx.now);
  if (obstacle !== undefined)
    return protocol.note('user', 'fail', joined([verbatim(person.dn), obstacle], ': '));
  protocol.note('user', 'pass', verbatim(person.dn));
  if (password !== undefined) {
    protocol.at('password');
    protocol.note(
      'password',
      ...sentenceOn(await session.checkPassword(person.dn, password.normalize('NFC'))),
    );
  }
  protocol.at('user_groups');
  const groups = await withNames(session, params, await groupsOf(session, params, person));
  protocol.note('user_groups', ...(await describe(ctx, groups, stored?.id)));
}

const states: Readonly<Record<Exclude<AccountState, 'active'>, RefusalReason>> = {
  disabled: 'disabled',
  expired: 'account_expired',
  locked: 'locked',
};

const sentences: Readonly<Record<RefusalReason, Detail>> = {
  wrong_password: 'The password is incorrect',
  unknown_user: 'The directory has no such user',
  hours: 'The account is not allowed to log in at this time of day',
  workstation: 'The account is allowed to log in only from certain computers',
  expired_password: 'The password has expired',
  must_change: 'The password must be changed before the first login',
  disabled: 'The account is disabled',
  account_expired: 'The account has expired',
  locked: 'The account is locked',
};

/**
 * The reason why a user cannot log in, as far as the entry contains it. A password test reports the state of the
 * password itself.
 */
function obstacleTo(person: Person, withPassword: boolean, now: Date): Text | undefined {
  const state = accountState(person.values, now);
  if (state !== 'active') return named(states[state]);
  if (!isNameable(person)) return 'The login name is too long or contains characters that cannot be stored';
  const reason = withPassword ? passwordState(person.values, now) : undefined;
  return reason && named(reason);
}

/** The sentence, and the reason as in the audit. */
const named = (reason: RefusalReason): Text => joined([sentences[reason], verbatim(`(${reason})`)], ' ');

function sentenceOn(result: PasswordVerdict): ProtocolLine {
  if (result.verdict === 'accepted') return ['pass', verbatim('')];
  const { verdict, reason } = result;
  if (verdict === 'expired')
    return ['fail', joined(['The password is correct, but the user cannot log in.', named(reason)], ' ')];
  return ['fail', reason === undefined ? 'The directory does not accept the password' : named(reason)];
}

type ProtocolLine = [status: Check['status'], detail: Text];

const mostNamed = 100;

/** Adds the names in the directory to groups that have only a SID. */
async function withNames(
  session: DirectorySession,
  params: DirectoryParams,
  groups: readonly ExternalGroup[],
): Promise<ExternalGroup[]> {
  const nameless = groups.flatMap(({ name, sid }) => (name === '' && sid !== undefined ? [sid] : []));
  const found = await findGroupsBySid(session, params, nameless);
  return [...groups.filter(({ name }) => name !== ''), ...found];
}

/**
 * For a stored domain, the result also separates registered groups from the others. Only registered groups count at a
 * login.
 */
async function describe(
  { deps }: TestCtx,
  groups: readonly ExternalGroup[],
  domainId: string | undefined,
): Promise<ProtocolLine> {
  const names = groups.slice(0, mostNamed).map(({ name }) => name);
  if (domainId === undefined) return ['pass', names.length > 0 ? verbatim(names.join(', ')) : 'None'];
  const registered = await findRegisteredGroups(deps.db, domainId, groupKeys(groups));
  const isRegistered = isRegisteredIn(registered);
  const known = groups.filter(isRegistered);
  const others = groups.filter((group) => !isRegistered(group));
  const list = (some: ExternalGroup[]) =>
    some
      .slice(0, mostNamed)
      .map(({ name }) => name)
      .join(', ') || '–';
  const detail = message('Registered: {known}; not registered: {others}', {
    known: list(known),
    others: list(others),
  });
  return [known.length > 0 ? 'pass' : 'fail', detail];
}

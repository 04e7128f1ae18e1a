import { AppError } from '../../../../kernel/errors.ts';
import { joined, message, type Text, verbatim } from '../../../../messages/message.ts';
import type { Directory, DirectorySession } from '../../../../remotes/directory/port.ts';
import type { Check, TestCtx, TestSubject } from '../../domain-type.ts';
import { bindGate } from '../bind-gate.ts';
import { directoryOf, listingMs, reachedBy } from '../connection.ts';
import { findPeople } from '../entries/people.ts';
import { findGroups } from '../groups/search.ts';
import type { DirectoryParams, DirectoryVariant } from '../variant.ts';
import { testKdcs } from './kdc.ts';
import { type Subject, testPerson } from './person.ts';
import { createProtocol, type Protocol } from './protocol.ts';

/**
 * Runs the steps of a login: connects and searches. With a name, it also finds the person and the groups. Sends a
 * request to each KDC of a domain with Kerberos parameters.
 */
export async function testConnection(
  variant: DirectoryVariant,
  ctx: TestCtx,
  subject: TestSubject,
): Promise<Check[]> {
  const params = { ...(subject.params as DirectoryParams), variant };
  const protocol = createProtocol(ctx);
  const [kdcs] = await Promise.all([
    testKdcs(ctx, params, subject.username),
    runChecks(ctx, await destination(ctx, params, subject), protocol, { ...subject, params }),
  ]);
  return [...protocol.checks, ...kdcs];
}

/**
 * The bind gate applies to a stored domain: a refused password is not tried before its retry time. Another password is
 * tried at once.
 */
async function destination(
  { deps }: TestCtx,
  params: DirectoryParams,
  { stored, storedSecrets }: TestSubject,
): Promise<Directory> {
  const sealedPassword = storedSecrets.bind_password ?? null;
  const isTrial = !stored || sealedPassword === null;
  const directory = isTrial
    ? reachedBy(params, params.bind_password)
    : await directoryOf(deps.sealer, { id: stored.id, sealedPassword }, params);
  if (!stored || !directory.account) return directory;
  return { ...directory, gate: bindGate(deps, stored, directory, isTrial) };
}

async function runChecks(
  ctx: TestCtx,
  directory: Directory,
  protocol: Protocol,
  subject: Subject,
): Promise<void> {
  const start = Date.now();
  try {
    await ctx.deps.directories.within(
      directory,
      async (session) => {
        protocol.restart();
        protocol.note('connection', 'pass', 'A server responds');
        protocol.note(
          'bind',
          'pass',
          directory.account ? 'The account can search the directory' : 'Searches are anonymous',
        );
        protocol.note('identity', ...identityIn(session, subject.stored));
        await search(ctx, session, protocol, subject);
      },
      listingMs,
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'overloaded') throw error;
    const isSilent = protocol.checks.length === 0 && isUnreached(error);
    // The duration of a failed connection would reveal which ports of which machines are open.
    if (isSilent) await passed(start + directory.timeoutMs);
    protocol.fail(isSilent ? 'No server of the directory responds' : sentenceOf(error), error);
  }
}

/** A stored domain accepts no logins from another directory than its own. */
function identityIn({ authority }: DirectorySession, stored: TestSubject['stored']): Found {
  if (authority === undefined) return ['skipped', 'The directory does not show its identity'];
  const own = stored?.directory_authority ?? authority;
  if (own === authority) return ['pass', verbatim(authority)];
  return ['fail', message('Another directory: {shown} instead of {own}', { shown: authority, own })];
}

async function search(
  ctx: TestCtx,
  session: DirectorySession,
  protocol: Protocol,
  subject: Subject,
): Promise<void> {
  const { params, username } = subject;
  protocol.at('users');
  const people = await findPeople(session, params, '', 1);
  protocol.note('users', ...found(people.length, 'users'));
  protocol.at('groups');
  const groups = await findGroups(session, params, '', 1);
  protocol.note('groups', ...found(groups.length, 'groups'));
  if (username !== undefined) await testPerson(ctx, session, protocol, subject, username);
}

type Found = [status: Check['status'], detail: Text];

const words = {
  users: ['Users were found', 'No users were found below the base'],
  groups: ['Groups were found', 'No groups were found below the base'],
} as const;

const found = (count: number, what: keyof typeof words): Found =>
  count > 0 ? ['pass', words[what][0]] : ['fail', words[what][1]];

/**
 * Refused, aborted, timed out and non-LDAP connections have one error. A caller may enter any address, and must not
 * learn the difference.
 */
const isUnreached = ({ code, members }: AppError): boolean =>
  code === 'upstream_timeout' || (code === 'upstream_failed' && members.reason === 'unreachable');

/** A refusal with a retry time already has a complete detail. */
const sentenceOf = ({ detail, members: { reason, retry_after_s } }: AppError): Text =>
  reason === undefined || retry_after_s !== undefined
    ? detail
    : joined([detail, verbatim(String(reason))], ': ');

const passed = (at: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));

import type { z } from 'zod';
import { bindGate } from '../../../shared/identity/directory/bind-gate.ts';
import { findGroups } from '../../../shared/identity/directory/groups/search.ts';
import { findPeople } from '../../../shared/identity/directory/people.ts';
import { directoryOf, listingMs, reachedBy } from '../../../shared/identity/directory/settings.ts';
import type { DirectoryParams, DomainType } from '../../../shared/identity/domains/catalogue.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { joined, type Text, verbatim } from '../../../shared/messages/message.ts';
import type { Directory, DirectorySession } from '../../../shared/remotes/directory/port.ts';
import type { WebuiCtx } from '../deps.ts';
import { testKdcs } from './test-kdc.ts';
import { type Check, type Examined, examine, isGood, resultOf } from './test-params.ts';
import { type Subject, testPerson } from './test-person.ts';
import { createProtocol, type Protocol } from './test-protocol.ts';
import { takeTest } from './test-quota.ts';
import type { TestBody, TestResult } from './test-shapes.ts';

type Body = z.output<typeof TestBody>;
type Result = z.input<typeof TestResult>;

/**
 * Asks the directory as a login would: connects, searches, and for a name finds the person and the groups. Asks the KDCs of
 * a domain with Kerberos parameters.
 * @throws AppError `rate_limited`, `invalid_request` for an `id` that is not of such a domain, `secret_required`
 */
export async function testDomain(ctx: WebuiCtx, type: DomainType, body: Body): Promise<Result> {
  takeTest(ctx);
  const examined = await examine(ctx, type, body);
  const { directory, stored } = examined;
  if (!directory || !isGood(examined.checks)) return told(ctx, examined.checks);
  const params = { ...directory, type };
  const protocol = createProtocol(ctx);
  const [kdcs] = await Promise.all([
    testKdcs(ctx, params, body.username),
    ask(ctx, await destination(ctx, params, examined), protocol, { params, body, stored }),
  ]);
  return told(ctx, [...examined.checks, ...protocol.checks, ...kdcs]);
}

const told = (ctx: WebuiCtx, checks: Check[]): Result =>
  resultOf(
    ctx,
    checks,
    isGood(checks) ? 'The domain works' : 'The domain does not work with these parameters',
  );

/** An account of a stored domain whose password was refused is not tried before its time; another password is. */
async function destination(
  { deps }: WebuiCtx,
  params: DirectoryParams,
  { stored, keptPassword }: Examined,
): Promise<Directory> {
  const isTrial = !stored || keptPassword === null;
  const directory = isTrial
    ? reachedBy(params, params.bind_password)
    : await directoryOf(deps.sealer, { id: stored.id, sealedPassword: keptPassword }, params);
  if (!stored || !directory.account) return directory;
  return { ...directory, gate: bindGate(deps, stored, directory, isTrial) };
}

async function ask(ctx: WebuiCtx, directory: Directory, protocol: Protocol, subject: Subject): Promise<void> {
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
        await search(ctx, session, protocol, subject);
      },
      listingMs,
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'overloaded') throw error;
    const isSilent = protocol.checks.length === 0 && isUnreached(error);
    // How soon nobody answered would tell which ports of which machines are open.
    if (isSilent) await passed(start + directory.timeoutMs);
    protocol.fail(isSilent ? 'No server of the directory responds' : sentenceOf(error), error);
  }
}

async function search(
  ctx: WebuiCtx,
  session: DirectorySession,
  protocol: Protocol,
  subject: Subject,
): Promise<void> {
  const { params, body } = subject;
  protocol.at('users');
  const people = await findPeople(session, params, '', 1);
  protocol.note('users', ...found(people.length, 'users'));
  protocol.at('groups');
  const groups = await findGroups(session, params, '', 1);
  protocol.note('groups', ...found(groups.length, 'groups'));
  if (body.username !== undefined) await testPerson(ctx, session, protocol, subject, body.username);
}

type Found = [status: Check['status'], detail: Text];

const words = {
  users: ['Users were found', 'No users were found below the base'],
  groups: ['Groups were found', 'No groups were found below the base'],
} as const;

const found = (count: number, what: keyof typeof words): Found =>
  count > 0 ? ['pass', words[what][0]] : ['fail', words[what][1]];

/** Refused, cut off, silent, or no LDAP: to whoever may name any address these are one. */
const isUnreached = ({ code, members }: AppError): boolean =>
  code === 'upstream_timeout' || (code === 'upstream_failed' && members.reason === 'unreachable');

/** With the time of the next attempt a refusal has its own words. */
const sentenceOf = ({ detail, members: { reason, retry_after_s } }: AppError): Text =>
  reason === undefined || retry_after_s !== undefined
    ? detail
    : joined([detail, verbatim(String(reason))], ': ');

const passed = (at: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));

import type { z } from 'zod';
import { findRegisteredGroups } from '../../../db/repositories/directory-accounts.ts';
import { isOut } from '../../../shared/identity/directory/account.ts';
import {
  type DirectoryGroup,
  findGroups,
  findGroupsBySid,
  groupsOf,
} from '../../../shared/identity/directory/group-search.ts';
import { nameIn } from '../../../shared/identity/directory/login-name.ts';
import { findPeople, findPerson } from '../../../shared/identity/directory/people.ts';
import { groupKeys, registration } from '../../../shared/identity/directory/registered-groups.ts';
import { directoryOf, listingMs, reachedBy } from '../../../shared/identity/directory/settings.ts';
import type { DirectoryParams, DomainType } from '../../../shared/identity/domains/catalogue.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { Judgement } from '../../../shared/remotes/directory/judgement.ts';
import type { Directory, DirectorySession } from '../../../shared/remotes/directory/port.ts';
import type { WebuiCtx } from '../deps.ts';
import type { TestBody, TestResult } from './schema.ts';
import { type Check, type Examined, examine, isGood } from './test-params.ts';
import { takeTest } from './test-quota.ts';

type Body = z.output<typeof TestBody>;
type Result = z.input<typeof TestResult>;
type Subject = { type: DomainType; params: DirectoryParams; body: Body; domainId: string | undefined };

/**
 * Asks the directory as a login would: connects, searches, and for a name finds the person and his groups.
 * @throws AppError `rate_limited`, `invalid_request` for an `id` that is not of such a domain, `secret_required`
 */
export async function testDomain(ctx: WebuiCtx, type: DomainType, body: Body): Promise<Result> {
  takeTest(ctx);
  const examined = await examine(ctx, type, body);
  const { directory, stored } = examined;
  if (!directory || !isGood(examined.checks)) return told(examined.checks);
  const params = { ...directory, type };
  const protocol = createProtocol(ctx);
  await ask(ctx, await destination(ctx, params, examined), protocol, {
    type,
    params,
    body,
    domainId: stored?.id,
  });
  return told([...examined.checks, ...protocol.checks]);
}

function told(checks: Check[]): Result {
  const success = isGood(checks);
  return { success, message: success ? 'The domain can be used' : 'The domain cannot be used so', checks };
}

function destination(
  { deps }: WebuiCtx,
  params: DirectoryParams,
  { stored, keptPassword }: Examined,
): Promise<Directory> | Directory {
  if (!stored || keptPassword === null) return reachedBy(params, params.bind_password);
  return directoryOf(deps.sealer, { id: stored.id, sealedPassword: keptPassword }, params);
}

async function ask(ctx: WebuiCtx, directory: Directory, protocol: Protocol, subject: Subject): Promise<void> {
  const start = Date.now();
  try {
    await ctx.deps.directories.within(
      directory,
      async (session) => {
        protocol.restart();
        protocol.note('connection', 'pass', 'A server answers');
        protocol.note(
          'bind',
          'pass',
          directory.account ? 'The account may search' : 'Searches are anonymous',
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
    protocol.fail(isSilent ? 'No server of the directory answers' : sentenceOf(error), error);
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
  if (body.username !== undefined) await searchPerson(ctx, session, protocol, subject, body.username);
}

async function searchPerson(
  ctx: WebuiCtx,
  session: DirectorySession,
  protocol: Protocol,
  { type, params, body: { password }, domainId }: Subject,
  username: string,
): Promise<void> {
  protocol.at('user');
  const name = nameIn({ type, params }, username);
  const person = await findPerson(session, params, { name, typed: username.trim() });
  if (!person) return protocol.note('user', 'fail', 'The directory knows nobody, or several, of this name');
  if (isOut(person, ctx.now)) return protocol.note('user', 'fail', `${person.dn} is disabled`);
  protocol.note('user', 'pass', person.dn);
  if (password !== undefined) {
    protocol.at('password');
    protocol.note('password', ...sentenceOn(await session.judge(person.dn, password.normalize('NFC'))));
  }
  protocol.at('user_groups');
  const groups = await named(session, params, await groupsOf(session, params, person));
  protocol.note('user_groups', ...(await describe(ctx, groups, domainId)));
}

/** With the reason that the directory gives. */
function sentenceOn(judgement: Judgement): Found {
  if (judgement.verdict === 'accepted') return ['pass', ''];
  const { verdict, reason } = judgement;
  if (verdict === 'expired') return ['fail', `It is right, and must be changed first: ${reason}`];
  return ['fail', `The directory does not accept it${reason === undefined ? '' : `: ${reason}`}`];
}

type Found = [status: Check['status'], detail: string];

const found = (count: number, what: string): Found =>
  count > 0 ? ['pass', `There are ${what}`] : ['fail', `There are no ${what} below the base`];

const mostNamed = 100;

/** Groups that are known by their SID only get the names that the directory has for them. */
async function named(
  session: DirectorySession,
  params: DirectoryParams,
  groups: readonly DirectoryGroup[],
): Promise<DirectoryGroup[]> {
  const nameless = groups.flatMap(({ name, sid }) => (name === '' && sid !== undefined ? [sid] : []));
  const found = await findGroupsBySid(session, params, nameless);
  return [...groups.filter(({ name }) => name !== ''), ...found];
}

/** With a stored domain it is told which of the groups count at a login. */
async function describe(
  { deps }: WebuiCtx,
  groups: readonly DirectoryGroup[],
  domainId: string | undefined,
): Promise<Found> {
  const names = groups.slice(0, mostNamed).map(({ name }) => name);
  if (domainId === undefined) return ['pass', names.join(', ') || 'None'];
  const registered = await findRegisteredGroups(deps.db, domainId, groupKeys(groups));
  const isRegistered = registration(registered);
  const known = groups.filter(isRegistered);
  const others = groups.filter((group) => !isRegistered(group));
  const list = (some: DirectoryGroup[]) =>
    some
      .slice(0, mostNamed)
      .map(({ name }) => name)
      .join(', ') || 'none';
  const detail = `Registered: ${list(known)}; not registered: ${list(others)}`;
  return [known.length > 0 ? 'pass' : 'fail', detail];
}

/** Refused, cut off, silent, or no LDAP: to whoever may name any address these are one. */
const isUnreached = ({ code, members }: AppError): boolean =>
  code === 'upstream_timeout' || (code === 'upstream_failed' && members.reason === 'unreachable');

const sentenceOf = ({ message, members: { reason } }: AppError): string =>
  reason === undefined ? message : `${message}: ${String(reason)}`;

const passed = (at: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));

type Protocol = ReturnType<typeof createProtocol>;

/** Steps in the order in which they are taken; a failure is that of the step under way. */
function createProtocol({ deps }: WebuiCtx) {
  const checks: Check[] = [];
  let since = deps.clock().getTime();
  let step = 'connection';
  const note = (name: string, status: Check['status'], detail: string): void => {
    const now = deps.clock().getTime();
    checks.push({ name, status, detail, took_ms: now - since });
    since = now;
  };
  return {
    checks,
    note,
    /** The work begins again on another server. */
    restart: (): void => {
      checks.length = 0;
      step = 'connection';
    },
    at: (name: string): void => {
      step = name;
    },
    fail: (detail: string, { members }: AppError): void => {
      const isAccount = step === 'connection' && members.reason === 'account';
      if (isAccount) note('connection', 'pass', 'A server answers');
      note(isAccount ? 'bind' : step, 'fail', detail);
    },
  };
}

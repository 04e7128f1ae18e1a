import { readFile } from 'node:fs/promises';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cause,
  type CredentialKind,
  endedBy,
} from '../../../../db/repositories/identity/access-revocation.ts';
import { gatewayTickets } from '../../../../db/schema/gateways/tickets.ts';
import { loginChallenges } from '../../../../db/schema/identity/login-challenges.ts';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { secondFactors } from '../../../../db/schema/identity/second-factors.ts';
import { serviceTokens } from '../../../../db/schema/identity/service-tokens.ts';
import { dispatcherSessions } from '../../../../db/schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys } from '../../../../db/schema/routing/ended-node-keys.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import {
  addDomain,
  addGateway,
  addMember,
  addNode,
  addRole,
  audited,
  base,
  domainsPath,
  goodPassword,
  type Member,
  pool,
  type SimulatedNode,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let node: SimulatedNode;
let gateway: Json;
beforeAll(async () => {
  node = await addNode(world, world.farm, { pools: [pool('Office')] });
  gateway = await addGateway(world.admin);
});
afterAll(() => node.simulator.close());

/** A member of a domain of its own with one credential of each kind, beside the session of the member itself. */
async function holder(): Promise<{ member: Member; domain: Json; left(): Promise<string[]> }> {
  const { db } = world.portal;
  const domain = await addDomain(world.admin);
  const member = await addMember({ ...world, domain }, ['sites.read']);
  const user_id = member.user.id;
  const later = new Date(world.portal.deps.clock().getTime() + 600_000);
  const [current] = await db.select().from(loginSessions).where(eq(loginSessions.user_id, user_id));
  if (!current) throw new Error('no session');
  const own = (isOwn: boolean) => ({
    ...{ id: newId(), user_id, name: `${isOwn}`, name_key: `${isOwn}`, token_hash: newId() },
    ...{ created_at: new Date(), expires_at: later, own: isOwn },
  });
  const key = { dispatcher_id: node.dispatcher.id, user_id, subject: newId(), sealed_key: 'x' };
  await db.insert(loginSessions).values({ ...current, id: newId(), token_hash: newId() });
  await db.insert(serviceTokens).values([own(true), own(false)]);
  await db.insert(loginChallenges).values({ id: newId(), user_id, network: '192.0.2.0', expires_at: later });
  await db.insert(gatewayTickets).values({
    ...{ id: newId(), ticket_hash: newId(), gateway_id: gateway.id, user_id, farm_id: world.farm.id },
    ...{ host: 'h', port: 1, tunnels_left: 1, expires_at: later },
  });
  await db.insert(dispatcherSessions).values({ ...key, id: newId(), expires_at: later });
  await db
    .insert(secondFactors)
    .values({ user_id, sealed_secret: 'x', last_step: 0, enrolled_at: new Date() });
  return {
    member,
    domain,
    left: async () => {
      const sessions = await db.select().from(loginSessions).where(eq(loginSessions.user_id, user_id));
      const tokens = await db.select().from(serviceTokens).where(eq(serviceTokens.user_id, user_id));
      const challenges = await db.$count(loginChallenges, eq(loginChallenges.user_id, user_id));
      const tickets = await db.$count(gatewayTickets, eq(gatewayTickets.user_id, user_id));
      const keys = await db.$count(dispatcherSessions, eq(dispatcherSessions.user_id, user_id));
      const factors = await db.$count(secondFactors, eq(secondFactors.user_id, user_id));
      return [
        ...sessions.map(({ id }) => (id === current.id ? 'this session' : 'another session')),
        ...tokens.map((token) => (token.own ? 'own token' : 'service token')),
        ...(challenges > 0 ? ['challenge'] : []),
        ...(tickets > 0 ? ['ticket'] : []),
        ...(keys > 0 ? ['node key'] : []),
        ...(factors > 0 ? ['second factor'] : []),
      ].sort();
    },
  };
}

const everything = [
  ...['another session', 'challenge', 'node key', 'own token', 'second factor', 'service token'],
  ...['this session', 'ticket'],
];
const without = (...gone: string[]): string[] => everything.filter((kind) => !gone.includes(kind));
const vouched = ['another session', 'challenge', 'node key', 'own token', 'ticket'];

const change = (member: Member, given: object = {}) =>
  member.ask('PUT /api/userinfo/password', { current: goodPassword, new: `${goodPassword} 2`, ...given });
const ofUser = (domain: Json, { user }: Member) => `${usersPath(domain)}/${user.id}`;
type Act = (of: { member: Member; domain: Json }) => PromiseLike<{ status: number }>;

/** What must be left after each cause. It is written down here, and not derived from the registry. */
const causes: Record<string, [Act, string[]]> = {
  'the own change of the password': [({ member }) => change(member), without(...vouched)],
  'the own change that keeps the tokens': [
    ({ member }) => change(member, { keeps_service_tokens: true }),
    without(...vouched.filter((kind) => kind !== 'own token')),
  ],
  'a password set by an administrator': [
    ({ domain, member }) => world.admin(`PATCH ${ofUser(domain, member)}`, { password: `${goodPassword} 3` }),
    without('this session', ...vouched),
  ],
  'the reset of the second factor': [
    ({ domain, member }) => world.admin(`PATCH ${ofUser(domain, member)}`, { two_factor_enrolled: false }),
    without('this session', 'second factor', ...vouched.filter((kind) => kind !== 'node key')),
  ],
  'the disabling of the user': [
    ({ domain, member }) => world.admin(`PATCH ${ofUser(domain, member)}`, { state: 'inactive' }),
    ['second factor'],
  ],
  'the disabling of the domain': [
    ({ domain }) => world.admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'disabled' }),
    ['second factor'],
  ],
  'the deletion of the user': [({ domain, member }) => world.admin(`DELETE ${ofUser(domain, member)}`), []],
  'the end of own tokens in the installation': [
    () => world.admin(`PUT ${base}/tconfig`, { service_tokens: { own: { value: false } } }),
    without('own token'),
  ],
  'a role taken away, the last one with rights': [
    ({ domain, member }) => world.admin(`PATCH ${ofUser(domain, member)}`, { roles: [] }),
    without('own token', 'node key'),
  ],
  'a role taken away beside another one': [
    async ({ domain, member }) => {
      const other = await addRole(world.admin, ['farms.read']);
      const both = [member.role.id, other.id];
      await world.admin(`PATCH ${ofUser(domain, member)}`, { roles: both });
      return world.admin(`PATCH ${ofUser(domain, member)}`, { roles: [other.id] });
    },
    without('node key'),
  ],
  'a change of something else': [
    ({ domain, member }) => world.admin(`PATCH ${ofUser(domain, member)}`, { comments: 'noted' }),
    everything,
  ],
};

const kindNames: Record<CredentialKind, string> = {
  sessions: 'sessions',
  own_tokens: 'own service tokens',
  own_tokens_without_rights: 'own service tokens, if no role has permissions',
  service_tokens: 'all service tokens',
  gateway_tickets: 'gateway tickets',
  challenges: 'challenges',
  node_keys: 'session keys of nodes',
};
const causeNames: Record<Cause, string> = {
  password_change: 'own change of the password: all but the session of the change; own tokens may be kept',
  password_reset: 'password set by an administrator',
  second_factor_reset: 'reset of the second factor',
  disabling: 'disabling of the user or the domain',
  other_authority: 'another provider or directory of the domain',
  provider_log_out: 'log-out at the provider, or its refusal; the sessions that it names end as well',
  role_removed: 'a role taken away',
  own_tokens_off: '`service_tokens.own` off',
};

const tableOfCauses = (): string =>
  [
    '| Cause | Ends |',
    '|---|---|',
    ...Object.entries(endedBy).map(
      ([cause, kinds]) =>
        `| ${causeNames[cause as Cause]} | ${kinds.map((kind) => kindNames[kind]).join(', ')} |`,
    ),
  ].join('\n');

describe('the credentials of a person', () => {
  it.each(Object.entries(causes))('after %s', async (_, [act, expected]) => {
    const of = await holder();
    expect(await of.left()).toEqual(everything);
    expect((await act(of)).status).toBeLessThan(300);
    expect(await of.left()).toEqual(expected);
  });

  it('that nodes have issued are logged out there, and tokens that are kept are in the audit', async () => {
    const of = await holder();
    const before = await world.portal.db.$count(endedNodeKeys);
    const { events } = await audited(world.portal, () => change(of.member, { keeps_service_tokens: true }));
    expect(await world.portal.db.$count(endedNodeKeys)).toBe(before + 1);
    expect(events).toMatchObject([{ action: 'change_password', details: { kept: 'service_tokens' } }]);
  });

  it('and the causes that end them are in the document', async () => {
    const document = await readFile(new URL('../../../../shared/access/README.md', import.meta.url), 'utf8');
    expect(document).toContain(tableOfCauses());
  });

  it('of each kind end by a cause, and each cause ends one', () => {
    const kinds = new Set(Object.values(endedBy).flat());
    const known: Record<CredentialKind, true> = {
      ...{ sessions: true, own_tokens: true, service_tokens: true, gateway_tickets: true },
      ...{ challenges: true, node_keys: true, own_tokens_without_rights: true },
    };
    expect([...kinds].sort()).toEqual(Object.keys(known).sort());
    for (const cause of Object.keys(endedBy) as Cause[]) expect(endedBy[cause].length).toBeGreaterThan(0);
  });
});

import fc from 'fast-check';
import { type ListKind, listKinds } from '../../shared/remotes/dispatcher/rows.ts';

type Row = Record<string, unknown>;

/** The damage to one member of one row: it is missing, or has an invalid value. */
export type Damage = { list: DamagedList; row: number; member: string; wrong: unknown };
type DamagedList = ListKind | 'services';
const leftOut = Symbol('left out');

const text = ['a line\u0000', 'x'.repeat(5_000), 7, { text: 'a' }, ['a'], true];
const flag = ['yes', 1, {}, 'false'];
const count = [-1, 1.5, '3', 1e300, [1]];
const uuid = ['none', 5, {}, '0191d6a0-7c1e'];
const moment = ['yesterday', 1_700_000_000, '2026-13-45T00:00:00Z', {}];
const state = ['hibernating', 4, 'Ready', { state: null }, ['ready']];
const array = ['rdp', [5], { 0: 'rdp' }, [''.padEnd(300, 'x')]];

const workplace = {
  ...byMember(['name', 'servicepool_name', 'unique_id', 'hostname', 'ip', 'client_ip', 'client_host'], text),
  ...byMember(['state', 'machine_state'], state),
  ...byMember(['in_use', 'maintenance'], flag),
  ...byMember(['in_use_since', 'agent_seen_at', 'created_at'], moment),
  ...byMember(['tags'], array),
  ...byMember(['agent_version'], text),
  ...byMember(['revision'], count),
};

/** Invalid values for each member that is not an identity; the workplace reference is not changed. */
const wrongValues: Record<DamagedList, Record<string, readonly unknown[]>> = {
  servicespools: {
    ...byMember(['name', 'short_name', 'comments'], text),
    ...byMember(['state'], [4, {}, '', 'x'.repeat(65)]),
    ...byMember(['visible', 'maintenance', 'restrained'], flag),
    ...byMember(['protocols', 'tags'], array),
    ...byMember(['initial_srvs', 'max_srvs', 'workplaces_count', 'in_use_count'], count),
    ...byMember(['usage_percent'], [-1, '8%', 1e9]),
  },
  workplaces: workplace,
  spsessions: {
    ...byMember(['servicepool_name', 'workplace_name', 'user', 'domain', 'protocol'], text),
    ...byMember(['servicepool_uuid', 'workplace_uuid', 'gateway_id'], uuid),
    ...byMember(['state'], state),
    ...byMember(['started_at', 'last_seen_at'], moment),
  },
  tags: byMember(['uuid'], uuid),
  services: {
    ...byMember(['name', 'description'], text),
    ...byMember(['state'], state),
    ...byMember(['maintenance', 'in_use'], flag),
    ...byMember(['protocols', 'sessions'], array),
  },
};

function byMember(members: readonly string[], values: readonly unknown[]) {
  return Object.fromEntries(members.map((member) => [member, values]));
}

const anyMember = fc
  .constantFrom(...listKinds, 'services' as const)
  .chain((list) => fc.tuple(fc.constant(list), fc.constantFrom(...Object.keys(wrongValues[list]))));

/** Members that determine whether a pool accepts connections. */
const decisive: fc.Arbitrary<[DamagedList, string]> = fc.tuple(
  fc.constantFrom('servicespools', 'workplaces', 'services'),
  fc.constantFrom('maintenance', 'state'),
);

const damage: fc.Arbitrary<Damage> = fc.oneof(anyMember, decisive).chain(([list, member]) =>
  fc.record({
    list: fc.constant(list),
    row: fc.nat(list === 'workplaces' ? 11 : 3),
    member: fc.constant(member),
    wrong: fc.constantFrom<unknown>(leftOut, null, ...(wrongValues[list][member] ?? [])),
  }),
);

/** Damage to rows of all lists, each member of a row once. */
export const damages: fc.Arbitrary<Damage[]> = fc.uniqueArray(damage, {
  maxLength: 32,
  size: 'max',
  selector: ({ list, row, member }) => `${list} ${row} ${member}`,
});

/** The row of a list with this number as the node sends it. */
export function damaged(plan: readonly Damage[], list: string, number: number, row: Row): Row {
  const changed = { ...row };
  for (const { member, wrong } of plan.filter((one) => one.list === list && one.row === number)) {
    if (wrong === leftOut) delete changed[member];
    else changed[member] = wrong;
  }
  return changed;
}

/** How many values are expected to be ignored, as `<list> <member>`; missing members are not ignored. */
export function expectedCounts(
  plan: readonly Damage[],
  rows: Record<ListKind, number>,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { list, row, member, wrong } of plan) {
    // The lists of single users are not part of the snapshot.
    if (list === 'services' || row >= rows[list] || wrong === leftOut || wrong === null) continue;
    counts[`${list} ${member}`] = (counts[`${list} ${member}`] ?? 0) + 1;
  }
  return counts;
}

import { describe, expect, it } from 'vitest';
import { scimWork } from '../../../../shared/identity/scim/errors.ts';
import { parseFilter } from '../../../../shared/identity/scim/filter.ts';
import { groupOf, groupPatch } from '../../../../shared/identity/scim/groups.ts';
import { applyChanges, changesOf, type PatchOperation } from '../../../../shared/identity/scim/patch.ts';
import {
  attributesOf,
  fieldsOf,
  type UserFields,
  writableUser,
} from '../../../../shared/identity/scim/users.ts';
import { workLimits } from '../../../../shared/kernel/concurrency/work.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import {
  addresses,
  mostPatches as most,
  patchOfShape,
  worstPatches,
} from '../../../support/identity/scim-bodies.ts';

const present: UserFields = {
  name: 'ada',
  real_name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  email: 'ada@example.com',
  state: 'active',
  directory_id: 'subject',
};

/** Units of a PATCH of a user, and how often it let other requests run; or the keyword of its refusal. */
async function patched(operations: readonly PatchOperation[]) {
  const work = scimWork();
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const refusal = await changesOf(operations, writableUser, work)
    .then((changes) => applyChanges(attributesOf(present), changes, writableUser, work))
    .then(() => undefined)
    .catch((error) => error.members.scim_type);
  isOver = true;
  return { units: work.spent, turns, refusal };
}

const repeated = (make: (at: number) => PatchOperation, count = most): PatchOperation[] =>
  Array.from({ length: count }, (_, at) => make(at));
const conditions = (count: number) =>
  Array.from({ length: count }, (_, at) => `value co "${at}"`).join(' or ');

describe('a request of provisioning within the limits of size', () => {
  it.each(
    Object.entries(worstPatches).map(([name, shape]) => [name, patchOfShape(shape)] as const),
  )('is refused as too much: %s', async (_, operations) => {
    const { refusal, units, turns } = await patched(operations);
    expect(refusal).toBe('tooMany');
    // What it did before was done in turns.
    expect(turns).toBeGreaterThanOrEqual(
      Math.floor(Math.min(units, workLimits.request) / workLimits.turn / 2),
    );
  });

  it.each<[string, PatchOperation[]]>([
    ['changes of one text', repeated((at) => ({ op: 'replace', path: 'displayName', value: `name ${at}` }))],
    ['a hundred addresses', [{ op: 'replace', path: 'emails', value: addresses(100) }]],
    [
      'addresses by their type',
      repeated(() => ({ op: 'replace', path: 'emails[type eq "work"].value', value: 'b@example.com' })),
    ],
  ])('is done, with room left: %s', async (_, operations) => {
    const { refusal, units } = await patched(operations);
    expect(refusal).toBeUndefined();
    expect(units).toBeLessThan(workLimits.request / 2);
  });

  it('has at most a thousand changes', async () => {
    const changes = (count: number) =>
      repeated(() => ({ op: 'replace', path: 'displayName', value: 'Ada' }), count);
    expect((await patched(changes(most))).refusal).toBeUndefined();
    expect((await patched(changes(most + 1))).refusal).toBe('tooMany');
  });

  it('needs less than a hundredth of the limit as Entra ID and Okta send it', async () => {
    const { units, refusal } = await patched([
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'b@example.com' },
      { op: 'Replace', value: { displayName: 'Ada King', 'name.familyName': 'King' } },
    ]);
    expect(refusal).toBeUndefined();
    expect(units).toBeLessThan(workLimits.request / 100);
  });

  it('has no texts that make comparisons long', async () => {
    const long = 'a'.repeat(2_000);
    expect((await patched([{ op: 'add', path: 'emails', value: [{ value: long }] }])).refusal).toBe(
      'invalidValue',
    );
    expect(() => fieldsOf({ userName: 'ada', emails: [{ value: long }] })).toThrow(/emails|value/);
  });

  it('has at most a hundred values of an attribute, also after several additions', async () => {
    const two = [addresses(60, 'x'), addresses(60, 'y')];
    expect((await patched(two.map((value) => ({ op: 'add', path: 'emails', value })))).refusal).toBe(
      'tooMany',
    );
    expect(() => fieldsOf({ userName: 'ada', emails: addresses(101) })).toThrow('at most 100 values');
    expect(fieldsOf({ userName: 'ada', emails: addresses(100) }).email).toBe('a0@example.com');
  });
});

describe('the members of a group', () => {
  it('can be fifty thousand in one request, whichever way they are sent', async () => {
    const ids = Array.from({ length: 50_000 }, () => newId());
    const members = ids.map((value) => ({ value, display: 'someone', type: 'User' }));
    const whole = scimWork();
    expect((await groupOf({ displayName: 'all', members }, whole)).members).toEqual(ids);
    const parts = scimWork();
    const operations = repeated((at) => ({
      op: 'add',
      path: 'members',
      value: members.slice(at * 50, at * 50 + 50),
    }));
    expect((await groupPatch(operations, parts)).members).toEqual({ replace: false, add: ids, remove: [] });
  });

  it('that change back and forth are counted', async () => {
    const members = Array.from({ length: 1_000 }, () => ({ value: newId() }));
    const operations = repeated((at) => ({ op: at % 2 ? 'add' : 'remove', path: 'members', value: members }));
    await expect(groupPatch(operations, scimWork())).rejects.toThrow('too much work');
  });
});

describe('a filter of a list', () => {
  it('has at most a hundred conditions', () => {
    expect(() => parseFilter(conditions(100))).not.toThrow();
    expect(() => parseFilter(conditions(101))).toThrow('at most 100 conditions');
  });

  it('has only texts that can be stored', () => {
    for (const text of ['userName eq "a\\u0000b"', 'userName eq "\\ud800"'])
      expect(() => parseFilter(text)).toThrow('not valid');
  });
});

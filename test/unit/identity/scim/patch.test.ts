import fc from 'fast-check';
import { type ScimPatchOperation, scimPatch } from 'scim-patch';
import { describe, expect, it } from 'vitest';
import { canonical, type Json } from '../../../../shared/identity/scim/canonical.ts';
import { scimWork } from '../../../../shared/identity/scim/errors.ts';
import { applyChanges, changesOf, type PatchOperation } from '../../../../shared/identity/scim/patch.ts';
import { writableUser } from '../../../../shared/identity/scim/users.ts';

const apply = async (resource: Json, operations: readonly PatchOperation[]): Promise<Json> => {
  const work = scimWork();
  return applyChanges(resource, await changesOf(operations, writableUser, work), writableUser, work);
};

const text = fc.constantFrom('a', 'b', 'c@example.com');
const type = fc.constantFrom('work', 'home', 'other');
const emailOf = fc.record({ value: text, type });
const name = fc.record({ givenName: text, familyName: text }, { requiredKeys: ['givenName'] });
/** The types of the addresses differ, as Entra ID requires. */
const emails = fc.uniqueArray(emailOf, { selector: (email) => email.type, minLength: 1, maxLength: 3 });
const user = fc.record({ userName: text, displayName: text, name, emails, active: fc.boolean() });

const operation: fc.Arbitrary<ScimPatchOperation> = fc.oneof(
  fc.record({
    op: fc.constantFrom('add' as const, 'replace' as const, 'Add' as const, 'Replace' as const),
    path: fc.constantFrom('displayName', 'userName', 'name.givenName', 'name.familyName'),
    value: text,
  }),
  fc.record({
    op: fc.constantFrom('add' as const, 'replace' as const),
    path: fc.constant('active'),
    value: fc.boolean(),
  }),
  fc.record({
    op: fc.constantFrom('add' as const, 'replace' as const),
    value: fc.record({ displayName: text, active: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({
    op: fc.constant('add' as const),
    path: fc.constant('emails'),
    value: fc.array(emailOf, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ op: fc.constant('replace' as const), path: fc.constant('emails'), value: emails }),
  fc.record({
    op: fc.constant('remove' as const),
    path: fc.constantFrom('displayName', 'name.familyName', 'emails[type eq "work"]', 'emails'),
  }),
  fc.record({
    op: fc.constant('replace' as const),
    path: fc.constantFrom('emails[type eq "work"].value', 'emails[type eq "home"].value'),
    value: text,
  }),
);

/** A value without elements is unassigned (RFC 7643, 2.5). */
const assigned = (resource: Json): Json => canonical(resource, writableUser.facts);

describe('a PATCH', () => {
  it('has the result of another implementation', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        user,
        fc.array(operation, { minLength: 1, maxLength: 4 }),
        async (resource, operations) => {
          let other: Json;
          try {
            const copy = { schemas: [], meta: {}, ...structuredClone(resource) };
            other = scimPatch(copy as never, structuredClone(operations), { mutateDocument: false }) as never;
          } catch {
            // It refuses paths without a value, where an address is added here.
            return;
          }
          compared++;
          expect(await apply(resource, operations), JSON.stringify(operations)).toEqual(assigned(other));
        },
      ),
      { numRuns: 2_000 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  it('without a path may have its value as a text with JSON', async () => {
    const value = { displayName: 'Ada', emails: [{ value: 'a@example.com', type: 'work' }], active: false };
    const resource = { userName: 'ada', active: true };
    expect(await apply(resource, [{ op: 'replace', value: JSON.stringify(value) }])).toEqual(
      await apply(resource, [{ op: 'replace', value }]),
    );
    for (const text of ['', 'ada', '[1]', 'null', '{'])
      await expect(apply(resource, [{ op: 'replace', value: text }])).rejects.toThrow('requires an object');
  });

  it('changes nothing that it does not name', async () => {
    await fc.assert(
      fc.asyncProperty(user, text, async (resource, value) => {
        const { displayName: _, ...others } = resource;
        expect(await apply(resource, [{ op: 'replace', path: 'displayName', value }])).toEqual({
          ...others,
          displayName: value,
        });
        expect(await apply(resource, [{ op: 'Add', path: 'title', value }])).toEqual(resource);
      }),
    );
  });

  it('of the same replacement twice has no further effect', async () => {
    await fc.assert(
      fc.asyncProperty(user, fc.array(operation, { maxLength: 3 }), async (resource, operations) => {
        const once = await apply(resource, operations);
        const replacements = operations.filter(
          ({ op, path }) => op.toLowerCase() === 'replace' && !path?.includes('['),
        );
        const twice = await apply(await apply(once, replacements), replacements);
        expect(twice).toEqual(await apply(once, replacements));
      }),
    );
  });
});

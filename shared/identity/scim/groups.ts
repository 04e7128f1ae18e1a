import type { Filter } from '../../../db/repositories/identity/scim/filter.ts';
import { isId } from '../../kernel/ids.ts';
import { message } from '../../messages/message.ts';
import { PlainName } from '../../shapes/fields.ts';
import { externalId, groupFacts } from './attributes.ts';
import { canonical, canonicalValue, type Json } from './canonical.ts';
import { scimError } from './errors.ts';
import { memberOf } from './evaluate.ts';
import {
  applyChanges,
  type Change,
  changesOf,
  type Patched,
  type PatchOperation,
  readOnly,
} from './patch.ts';
import { groupSchema } from './urns.ts';
import { metaOf } from './versions.ts';

export type GroupFields = { name: string; external_id: string | null };

export type ProvisionedGroup = GroupFields & {
  id: string;
  revision: number;
  created_at: Date;
  updated_at: Date;
};

/** A change of the members: to those and no others, or by adding and removing some. */
export type MemberChange = { replace: boolean; add: readonly string[]; remove: readonly string[] };

export type GroupMember = { id: string; name: string };

const facts = [...groupFacts, externalId];
const written: Patched = { urn: groupSchema, facts, readOnly };

/**
 * The group as a resource.
 * @param members undefined if the response does not contain them
 */
export const groupResource = (
  row: ProvisionedGroup,
  members: readonly GroupMember[] | undefined,
  base: string,
): Json => ({
  schemas: [groupSchema],
  id: row.id,
  ...attributesOf(row),
  ...(members && { members: members.map((member) => memberResource(member, base)) }),
  meta: metaOf('Group', row, `${base}/Groups/${row.id}`),
});

const memberResource = ({ id, name }: GroupMember, base: string) => ({
  value: id,
  $ref: `${base}/Users/${id}`,
  display: name,
  type: 'User',
});

const attributesOf = ({ name, external_id }: GroupFields): Json => ({
  displayName: name,
  ...(external_id !== null && { externalId: external_id }),
});

/**
 * The fields and members of a new group, or of the replacement of a group.
 * @throws AppError `invalid_request`
 */
export function groupOf(source: Json, present?: GroupFields): { fields: GroupFields; members: string[] } {
  const resource = canonical(source, facts);
  return { fields: groupFields(resource, present), members: memberIds(resource.members) };
}

/** What a PATCH changes: fields, members, or both. The present members are not needed to apply it. */
export type GroupPatch = { fields: Change[]; members: MemberChange };

/** @throws AppError `invalid_request` */
export function groupPatch(operations: readonly PatchOperation[]): GroupPatch {
  const changes = changesOf(operations, written);
  const isOfMembers = ({ path }: Change) => path.name.toLowerCase() === 'members';
  return {
    fields: changes.filter((change) => !isOfMembers(change)),
    members: changes.filter(isOfMembers).reduce(withChange, { replace: false, add: [], remove: [] }),
  };
}

/** @throws AppError `invalid_request` */
export const fieldsAfter = (present: GroupFields, changes: readonly Change[]): GroupFields =>
  groupFields(applyChanges(attributesOf(present), changes, written), present);

function groupFields(resource: Json, present: GroupFields | undefined): GroupFields {
  const external = resource.externalId;
  if (typeof external === 'string' && external.length > 1_024)
    throw scimError(
      'invalidValue',
      message('The attribute {name} has no valid value', { name: 'externalId' }),
    );
  const external_id = typeof external === 'string' && external !== '' ? external : null;
  const name = resource.displayName;
  if (present && name === present.name) return { name: present.name, external_id };
  if (name === undefined)
    throw scimError('invalidValue', message('{name} is required', { name: 'displayName' }));
  const { data, success } = PlainName.safeParse(name);
  if (!success)
    throw scimError(
      'invalidValue',
      message('The attribute {name} has no valid value', { name: 'displayName' }),
    );
  return { name: data, external_id };
}

/** @throws AppError `invalid_request` for a member that is not a user of the portal */
function memberIds(values: unknown): string[] {
  const given = Array.isArray(values) ? values : [];
  const ids = given.map((member) => String(memberOf(member, 'value') ?? '').toLowerCase());
  const unknown = ids.find((id) => !isId(id));
  if (unknown !== undefined) throw unknownMember();
  return [...new Set(ids)];
}

export const unknownMember = () => scimError('invalidValue', 'A member is not a user of the domain');

function withChange(before: MemberChange, { verb, path, value }: Change): MemberChange {
  if (path.values) return verb === 'remove' ? removing(before, idsIn(path.values)) : refuseMember();
  if (path.sub !== undefined) return refuseMember();
  const ids = memberIds(canonicalValue(value, memberFacts));
  if (verb === 'add') return adding(before, ids);
  if (verb === 'replace') return { replace: true, add: ids, remove: [] };
  // Entra ID names the members to be removed in the value. Without a value, all are removed.
  return value === undefined || value === null
    ? { replace: true, add: [], remove: [] }
    : removing(before, ids);
}

const [memberFacts] = groupFacts.filter(({ name }) => name === 'members') as [(typeof groupFacts)[number]];

function adding({ replace, add, remove }: MemberChange, ids: readonly string[]): MemberChange {
  return { replace, add: union(add, ids), remove: without(remove, ids) };
}

function removing({ replace, add, remove }: MemberChange, ids: readonly string[]): MemberChange {
  return { replace, add: without(add, ids), remove: replace ? [] : union(remove, ids) };
}

const union = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([...one, ...other]),
];
function without(ids: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed);
  return ids.filter((id) => !gone.has(id));
}

/** The identifiers of `members[value eq "…"]`, also joined by `or`. */
function idsIn(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(idsIn);
  const isId =
    filter.kind === 'compare' && filter.operator === 'eq' && filter.path.name.toLowerCase() === 'value';
  return isId ? [String(filter.value).toLowerCase()] : refuseMember();
}

function refuseMember(): never {
  throw scimError('invalidPath', 'Members can be added, and removed by their value');
}

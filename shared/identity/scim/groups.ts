import type { Filter } from '../../../db/repositories/identity/scim/filter.ts';
import type { Work } from '../../kernel/concurrency/work.ts';
import { isId } from '../../kernel/ids.ts';
import { isObject } from '../../kernel/json/json.ts';
import { message } from '../../messages/message.ts';
import { PlainPersonName } from '../../shapes/fields.ts';
import { externalId, groupFacts } from './attributes.ts';
import { canonical, type Json } from './canonical.ts';
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

/** Members that a request can name. */
const mostMembers = 50_000;

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

const written: Patched = { urn: groupSchema, facts: [...groupFacts, externalId], readOnly };
/** The attributes apart from the members, which can be many and are read without the rest of their descriptions. */
const ownFacts = written.facts.filter(({ name }) => name !== 'members');

/**
 * The group as a resource.
 * @param members values of the attribute; undefined if the response does not contain them
 */
export const groupResource = (
  row: ProvisionedGroup,
  members: readonly Json[] | undefined,
  base: string,
): Json => ({
  schemas: [groupSchema],
  id: row.id,
  ...attributesOf(row),
  ...(members && { members }),
  meta: metaOf('Group', row, `${base}/Groups/${row.id}`),
});

/** A member as a value of the attribute `members`. */
export const memberResource = ({ id, name }: GroupMember, base: string) => ({
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
export async function groupOf(
  source: Json,
  work: Work,
  present?: GroupFields,
): Promise<{ fields: GroupFields; members: string[] }> {
  const fields = groupFields(canonical(source, ownFacts), present);
  return { fields, members: await memberIds(memberOf(source, 'members'), work) };
}

/** What a PATCH changes: fields, members, or both. The present members are not needed to apply it. */
export type GroupPatch = { fields: Change[]; members: MemberChange };

/** @throws AppError `invalid_request` */
export async function groupPatch(operations: readonly PatchOperation[], work: Work): Promise<GroupPatch> {
  const changes = await changesOf(operations, written, work);
  const isOfMembers = ({ path }: Change) => path.name.toLowerCase() === 'members';
  const members: MemberSets = { replace: false, add: new Set(), remove: new Set() };
  for (const change of changes.filter(isOfMembers)) await noteMembers(members, change, work);
  return {
    fields: changes.filter((change) => !isOfMembers(change)),
    members: { replace: members.replace, add: [...members.add], remove: [...members.remove] },
  };
}

/** @throws AppError `invalid_request` */
export const fieldsAfter = async (
  present: GroupFields,
  changes: readonly Change[],
  work: Work,
): Promise<GroupFields> =>
  groupFields(await applyChanges(attributesOf(present), changes, written, work), present);

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
  const { data, success } = PlainPersonName.safeParse(name);
  if (!success)
    throw scimError(
      'invalidValue',
      message('The attribute {name} has no valid value', { name: 'displayName' }),
    );
  return { name: data, external_id };
}

/**
 * The identifiers of members as clients send them: objects with `value`, or texts, also a single one without an array.
 * @throws AppError `invalid_request` for a member that is not a user of the portal
 */
async function memberIds(values: unknown, work: Work): Promise<string[]> {
  const isOne = values !== undefined && values !== null;
  const given: unknown[] = Array.isArray(values) ? values : isOne ? [values] : [];
  if (given.length > mostMembers)
    throw scimError('tooMany', message('A request can name at most {limit} members', { limit: mostMembers }));
  const ids = new Set<string>();
  await work.each(given, (member) => {
    const id = idOf(member);
    if (!isId(id)) throw unknownMember();
    ids.add(id);
  });
  return [...ids];
}

const idOf = (member: unknown): string =>
  String((isObject(member) ? memberOf(member, 'value') : member) ?? '').toLowerCase();

export const unknownMember = () => scimError('invalidValue', 'A member is not a user of the domain');

/** A change of the members while the operations of a request are read, whose number may be large. */
type MemberSets = { replace: boolean; add: Set<string>; remove: Set<string> };

async function noteMembers(sets: MemberSets, { verb, path, value }: Change, work: Work): Promise<void> {
  if (path.values) return verb === 'remove' ? noteRemoval(sets, idsIn(path.values), work) : refuseMember();
  if (path.sub !== undefined) return refuseMember();
  const ids = await memberIds(value, work);
  // Entra ID names the members to be removed in the value. Without a value, all are removed.
  const isOfAll = verb === 'replace' || (verb === 'remove' && (value === undefined || value === null));
  if (isOfAll) {
    sets.replace = true;
    sets.add = new Set(ids);
    sets.remove.clear();
  } else if (verb === 'remove') await noteRemoval(sets, ids, work);
  else
    await work.each(
      ids,
      (id) => {
        sets.add.add(id);
        sets.remove.delete(id);
      },
      unitsOfSet,
    );
}

/** Less than the reading of a member, so that all members that a group can have fit into one request. */
const unitsOfSet = 0.5;

const noteRemoval = ({ replace, add, remove }: MemberSets, ids: readonly string[], work: Work) =>
  work.each(
    ids,
    (id) => {
      add.delete(id);
      if (!replace) remove.add(id);
    },
    unitsOfSet,
  );

/** The identifiers of `members[value eq "…"]`, also joined by `or`. A text that is no identifier is that of no member. */
function idsIn(filter: Filter): string[] {
  if (filter.kind === 'or') return filter.parts.flatMap(idsIn);
  const isOfValue =
    filter.kind === 'compare' && filter.operator === 'eq' && filter.path.name.toLowerCase() === 'value';
  return isOfValue ? [String(filter.value).toLowerCase()].filter(isId) : refuseMember();
}

function refuseMember(): never {
  throw scimError('invalidPath', 'Members can be added, and removed by their value');
}

import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { isReferenceViolation, isUniqueViolation, raisedByMust } from '../../../db/errors.ts';
import {
  type AuditEntry,
  appendAudit,
  appendAuditRows,
  auditRow,
} from '../../../db/repositories/audit/events.ts';
import {
  addMembers,
  addProvisionedGroup,
  changedGroup,
  changeProvisionedGroup,
  findProvisionedGroup,
  keepMembers,
  mustBeUsers,
  mustChangeGroup,
  removeMembers,
  removeProvisionedGroup,
} from '../../../db/repositories/identity/scim/groups.ts';
import { changesBetween, entityAction } from '../../../shared/context/audit-entry.ts';
import { groupIdentifier } from '../../../shared/identity/providers/groups.ts';
import {
  fieldsAfter,
  type GroupFields,
  groupOf,
  groupPatch,
  type MemberChange,
  type ProvisionedGroup,
  unknownMember,
} from '../../../shared/identity/scim/groups.ts';
import type { PatchOperation } from '../../../shared/identity/scim/patch.ts';
import { assertVersion } from '../../../shared/identity/scim/versions.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { type ScimScope, untilUncontested } from './scope.ts';
import type { Target } from './users.ts';

type Body = Record<string, unknown>;

/** @throws AppError `not_found` */
export async function findGroup({ ctx, domainId }: ScimScope, id: string) {
  const row = await findProvisionedGroup(ctx.deps.db, domainId, id);
  if (!row) throw notFound();
  return row;
}

/** @throws AppError `invalid_request`, `already_exists` */
export async function createGroup({ ctx, domainId, work }: ScimScope, body: Body): Promise<ProvisionedGroup> {
  const { fields, members } = await groupOf(body, work);
  const id = newId();
  const object = { type: 'group', id, name: fields.name, revision: 1 } as const;
  const change: MemberChange = { replace: false, add: members, remove: [] };
  const audit = entityAction(ctx, 'create', object, [
    ...changesBetween({}, fields),
    ...memberChanges(change),
  ]);
  const row = { id, authenticator_id: domainId, ...columnsOf(fields) };
  const [created] = await atomically(ctx.deps.db, (h) => [
    addProvisionedGroup(h, row),
    ...writeMembers(h, { domainId, group: id }, change),
    appendAudit(h, audit),
  ]).catch(explain);
  return onlyRow(created);
}

/** A sign-in finds a group by the identifier that the provider sends. */
const columnsOf = (fields: GroupFields) => ({
  ...fields,
  directory_id: fields.external_id === null ? null : groupIdentifier(fields.external_id),
  name_key: foldName(fields.name),
});

function onlyRow(result: unknown): ProvisionedGroup {
  const [row] = result as ProvisionedGroup[];
  if (!row) throw new Error('a write has returned no row');
  return row;
}

/** @throws the error for the client */
function explain(error: unknown): never {
  const reason = raisedByMust(error)?.reason;
  if (reason === 'unknown_member') throw unknownMember();
  if (reason === 'skip_two_factor')
    throw new AppError(
      'forbidden',
      'The group waives the second factor, so only an administrator can change it',
      { reason },
      { cause: error },
    );
  if (isUniqueViolation(error))
    throw new AppError('already_exists', 'A group with this name exists', {}, { cause: error });
  if (isReferenceViolation(error)) throw new AppError('in_use', undefined, {}, { cause: error });
  throw error;
}

type Place = { domainId: string; group: string };

/** Members that are added must be users of the domain. Those that are removed need not exist. */
const writeMembers = (
  h: Db,
  { domainId, group }: Place,
  { replace, add, remove }: MemberChange,
): Statement[] => [
  ...(add.length > 0 ? [mustBeUsers(h, { domainId, ids: add })] : []),
  ...(replace ? [keepMembers(h, { group, ids: add })] : []),
  ...(remove.length > 0 ? [removeMembers(h, { group, ids: remove })] : []),
  ...(add.length > 0 ? [addMembers(h, { group, ids: add })] : []),
];

/** Number of members that an audit event names. */
const namedMembers = 100;

/** The members of an audit event: those that the request names. */
function memberChanges({ replace, add, remove }: MemberChange) {
  if (!replace && add.length === 0 && remove.length === 0) return [];
  const shown = (ids: readonly string[]) => ({ count: ids.length, users: ids.slice(0, namedMembers) });
  return [
    { field: 'members', before: remove.length > 0 ? shown(remove) : null, after: { replace, ...shown(add) } },
  ];
}

/**
 * Applies the operations of a PATCH. A change of members alone needs one round trip, however many members the group has.
 * @throws AppError `not_found`, `precondition_failed`, `invalid_request`, `already_exists`, `forbidden`
 */
export async function patchGroup(
  scope: ScimScope,
  { id, ifMatch }: Target,
  operations: readonly PatchOperation[],
): Promise<void> {
  const { fields, members } = await groupPatch(operations, scope.work);
  if (fields.length === 0 && ifMatch === undefined) return changeMembers(scope, id, members);
  await untilUncontested(ifMatch, async () => {
    const row = await findGroup(scope, id);
    assertVersion(ifMatch, row);
    await write(scope, row, await fieldsAfter(row, fields, scope.work), members);
  });
}

async function changeMembers({ ctx, domainId }: ScimScope, id: string, members: MemberChange): Promise<void> {
  const changes = memberChanges(members);
  const { name, details } = changedGroup(id);
  // The batch computes the name.
  const audit: AuditEntry = entityAction(ctx, 'update', { type: 'group', id, name: '' }, changes);
  await atomically(ctx.deps.db, (h) => [
    ...mustChangeGroup(h, { domainId, id }),
    ...(changes.length === 0
      ? []
      : [
          ...writeMembers(h, { domainId, group: id }, members),
          changeProvisionedGroup(h, id, {}),
          appendAuditRows(h, auditRow(audit, { object_name: name, details })),
        ]),
  ]).catch(explain);
}

/** @throws AppError as `patchGroup` */
export const replaceGroup = (
  scope: ScimScope,
  { id, ifMatch }: Target,
  body: Body,
): Promise<ProvisionedGroup> =>
  untilUncontested(ifMatch, async () => {
    const row = await findGroup(scope, id);
    assertVersion(ifMatch, row);
    const { fields, members } = await groupOf(body, scope.work, row);
    return write(scope, row, fields, { replace: true, add: members, remove: [] });
  });

async function write(
  { ctx, domainId }: ScimScope,
  row: ProvisionedGroup,
  fields: GroupFields,
  members: MemberChange,
): Promise<ProvisionedGroup> {
  const { id, revision } = row;
  const before: GroupFields = { name: row.name, external_id: row.external_id };
  const changes = [...changesBetween(before, fields), ...memberChanges(members)];
  const object = { type: 'group', id, name: fields.name, revision: revision + 1 } as const;
  const audit = entityAction(ctx, 'update', object, changes);
  const results = await atomically(ctx.deps.db, (h) => [
    ...mustChangeGroup(h, { domainId, id, revision }),
    ...writeMembers(h, { domainId, group: id }, members),
    appendAudit(h, audit),
    changeProvisionedGroup(h, id, columnsOf(fields)),
  ]).catch(explain);
  return onlyRow(results.at(-1));
}

/** @throws AppError `not_found`, `precondition_failed`, `forbidden`, `in_use` */
export const deleteGroup = (scope: ScimScope, { id, ifMatch }: Target): Promise<void> =>
  untilUncontested(ifMatch, async () => {
    const { ctx, domainId } = scope;
    const row = await findGroup(scope, id);
    assertVersion(ifMatch, row);
    const audit = entityAction(ctx, 'delete', { type: 'group', id, name: row.name }, []);
    await atomically(ctx.deps.db, (h) => [
      ...mustChangeGroup(h, { domainId, id, revision: row.revision }),
      removeProvisionedGroup(h, id),
      appendAudit(h, audit),
    ]).catch(explain);
  });

import {
  groupsOfUsers,
  type Membership,
  membersOfGroups,
} from '../../../db/repositories/identity/scim/groups.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { scimError } from '../../../shared/identity/scim/errors.ts';
import {
  groupResource,
  memberResource,
  type ProvisionedGroup,
} from '../../../shared/identity/scim/groups.ts';
import { includes, type Projection, projected } from '../../../shared/identity/scim/projection.ts';
import { type ProvisionedUser, userResource } from '../../../shared/identity/scim/users.ts';
import type { ScimScope } from './scope.ts';

type Resource = Record<string, unknown>;
type UserRow = { kind: 'Users' } & ProvisionedUser;
type GroupRow = { kind: 'Groups' } & ProvisionedGroup;
export type ResourceRow = UserRow | GroupRow;

/** The attribute whose values are rows of their own. */
const linkOf = { Users: 'groups', Groups: 'members' } as const;

/** Number of members, or of groups, in a response. A page ends before its resources have more. */
const mostLinks = 50_000;
const mostLinksOfPage = 25_000;

/** The first rows whose members and groups fit into a page; at least one. */
export function fitting<Row extends ResourceRow & { links: number }>(
  rows: readonly Row[],
  projection: Projection,
): Row[] {
  let sum = 0;
  return rows.filter(({ kind, links }, at) => {
    sum += includes(projection, linkOf[kind]) ? links : 0;
    return at === 0 || sum <= mostLinksOfPage;
  });
}

type Meta = { location: string; version: string };
type Rows = readonly (ResourceRow & { links?: number })[];

/** The rows as resources with the attributes of the response. @throws AppError as `completed` */
export const resourcesOf = async (
  scope: ScimScope,
  rows: Rows,
  projection: Projection,
): Promise<Resource[]> =>
  Promise.all(
    (await completed(scope, rows, projection)).map((resource) => projected(resource, projection, scope.work)),
  );

/** The response with one resource, and its version as ETag. @throws AppError as `completed` */
export async function answerResource(
  scope: ScimScope,
  row: ResourceRow,
  projection: Projection,
  more: { isNew?: boolean; status?: 200 } = {},
): Promise<Answer> {
  const [resource = {}] = await completed(scope, [row], projection);
  const { location, version } = resource.meta as Meta;
  const headers = { etag: version, ...(more.isNew && { location }) };
  return new Answer(await projected(resource, projection, scope.work), {
    headers,
    ...(more.status && { status: more.status }),
  });
}

/**
 * The rows as resources with all attributes. Members and groups are read unless the response does not contain them.
 * @throws AppError `invalid_request` with the keyword `tooMany` if a resource has too many of them for a response
 */
async function completed(scope: ScimScope, rows: Rows, projection: Projection): Promise<Resource[]> {
  const { ctx, domainId, base } = scope;
  const { db } = ctx.deps;
  const idsOf = (kind: ResourceRow['kind']) => {
    const isShown = includes(projection, linkOf[kind]);
    return isShown ? rows.filter((row) => row.kind === kind && row.links !== 0).map(({ id }) => id) : [];
  };
  const [userIds, groupIds] = [idsOf('Users'), idsOf('Groups')];
  const [groups, byGroup] = await Promise.all([
    userIds.length > 0 ? groupsOfUsers(db, domainId, userIds, mostLinks + 1) : [],
    membersByGroup(scope, groupIds),
  ]);
  if (groups.length > mostLinks) throw tooMany('groups');
  const byUser = Map.groupBy(groups, ({ user }) => user);
  const membersShown = includes(projection, 'members');
  return rows.map((row) =>
    row.kind === 'Users'
      ? userResource(row, byUser.get(row.id) ?? [], base)
      : groupResource(row, membersShown ? (byGroup.get(row.id) ?? []) : undefined, base),
  );
}

/** Members that are read at once: each has a turn of the event loop of its own. */
const membersOfTurn = 5_000;

/** The members of each group as resources. @throws AppError as `completed` */
async function membersByGroup(
  { ctx, domainId, base }: ScimScope,
  groupIds: readonly string[],
): Promise<Map<string, Resource[]>> {
  const found = new Map<string, Resource[]>();
  if (groupIds.length === 0) return found;
  let [count, after]: [number, Membership | undefined] = [0, undefined];
  do {
    const page: Membership[] = await membersOfGroups(ctx.deps.db, domainId, groupIds, {
      limit: membersOfTurn,
      after,
    });
    for (const member of page) {
      const own = found.get(member.group) ?? [];
      if (own.length === 0) found.set(member.group, own);
      own.push(memberResource(member, base));
    }
    count += page.length;
    if (count > mostLinks) throw tooMany('members');
    after = page.length < membersOfTurn ? undefined : page.at(-1);
  } while (after);
  return found;
}

const tooMany = (attribute: 'members' | 'groups') =>
  scimError(
    'tooMany',
    attribute === 'members'
      ? 'The group has too many members for a response: exclude the attribute `members`'
      : 'The user is in too many groups for a response: exclude the attribute `groups`',
  );

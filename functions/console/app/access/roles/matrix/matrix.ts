import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../../shared/web/client/session.ts';
import type { Query } from '../../../router/place.ts';
import { matches } from '../../parts/rights.ts';
import { groupsOf, type PermissionGroup } from '../permissions.ts';

type RolePage = Operations['role.list']['answer'];
export type Role = RolePage['items'][number];

/** What the matrix shows. It is in the address. */
export type MatrixView = {
  /** Ids of the roles to compare; none for all roles. */
  chosen: readonly string[];
  search: string;
  /** Only permissions that some of the compared roles grant and others do not. */
  onlyDifferent: boolean;
};

/** Roles that are compared at most: as many as one request reads by their ids. */
const mostChosen = 100;

export const viewOf = (query: URLSearchParams): MatrixView => ({
  chosen: [...new Set((query.get('roles') ?? '').split(',').filter(Boolean))].slice(0, mostChosen),
  search: query.get('search') ?? '',
  onlyDifferent: query.get('only') === 'different',
});

export const queryOf = ({ chosen, search, onlyDifferent }: Partial<MatrixView>): Query => ({
  roles: chosen?.join(),
  search,
  only: onlyDifferent ? 'different' : undefined,
});

/** Roles that are read at once, in the order of their names. */
export const mostRoles = 200;

export const listQuery = { limit: mostRoles, sort: 'name' } as const;

/** The roles of the matrix. Chosen roles that are not among the first ones are read by their ids. */
export function useRoles(chosen: readonly string[]) {
  const first = useQuery({
    queryKey: ['roleMatrix', 'role'],
    queryFn: ({ signal }) => portal.call('role.list', { query: listQuery }, { signal }),
  });
  const isPart = first.data?.next != null;
  const known = new Set(first.data?.items.map(({ id }) => id));
  const missing = chosen.filter((id) => !known.has(id));
  const further: UseQueryResult<RolePage> = useQuery({
    queryKey: ['roleMatrix', 'role', 'further', ...missing],
    queryFn: ({ signal }) =>
      portal.call(
        'role.list',
        { query: { ids: missing.join(), limit: mostChosen, sort: 'name' } },
        { signal },
      ),
    enabled: isPart && missing.length > 0,
    placeholderData: keepPreviousData,
  });
  return {
    error: first.data ? further.error : first.error,
    /** The first roles and the chosen ones. */
    roles: first.data && [...first.data.items, ...((isPart && further.data?.items) || [])],
    /** There are more roles than are read. */
    isPart,
    isReading: isPart && missing.length > 0 && further.isPending,
  };
}

/** The chosen roles in the order in which they were chosen, or all of them. */
export const shownRoles = (roles: readonly Role[], chosen: readonly string[]): readonly Role[] =>
  chosen.length === 0 ? roles : chosen.flatMap((id) => roles.find((role) => role.id === id) ?? []);

/** True if some of the roles grant the permission and others do not. */
export function differs(permission: string, roles: readonly Role[]): boolean {
  const granting = roles.filter((role) => grants(role, permission)).length;
  return granting > 0 && granting < roles.length;
}

export const grants = ({ permissions }: Role, permission: string): boolean =>
  (permissions as readonly string[]).includes(permission);

/** The permissions that the view selects. */
export function rowsOf(
  permissions: readonly string[],
  { search, onlyDifferent }: MatrixView,
  roles: readonly Role[],
): PermissionGroup[] {
  const found = permissions.filter((permission) => matches(permission, search));
  return groupsOf(onlyDifferent ? found.filter((permission) => differs(permission, roles)) : found);
}

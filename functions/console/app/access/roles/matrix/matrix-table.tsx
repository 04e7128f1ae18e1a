import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { countText } from '../../../../../../shared/web/text/numbers.ts';
import { Icon } from '../../../../../../shared/web/ui/controls/icon.tsx';
import { addressOf } from '../../../router/place.ts';
import { say } from '../../../texts.ts';
import { actionOf, actionText, resourceText } from '../../parts/rights.ts';
import { type PermissionGroup, sitesIn } from '../permissions.ts';
import classes from './matrix.module.css';
import { differs, grants, type Role } from './matrix.ts';

type MatrixTableProps = {
  groups: readonly PermissionGroup[];
  /** All permissions of each resource, also those without a row. */
  all: ReadonlyMap<string, readonly string[]>;
  roles: readonly Role[];
  /** Rows in which the roles differ have a sign. */
  marksDifferences: boolean;
};

/** Permissions as rows, in groups by resource; roles as columns. It scrolls within itself. */
export function MatrixTable({ groups, roles, ...rest }: MatrixTableProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls is reached by keyboard
    <section class={classes.place} tabIndex={0} aria-label={say('roles_matrix_title')}>
      <table class={classes.table}>
        <caption class="unseen">{say('roles_matrix_title')}</caption>
        <thead>
          <tr>
            <th scope="col" class={classes.corner}>
              {say('roles_right')}
            </th>
            {roles.map((role) => (
              <RoleHeader key={role.id} role={role} />
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <Group key={group.resource} group={group} roles={roles} {...rest} />
        ))}
      </table>
    </section>
  );
}

function RoleHeader({ role }: { role: Role }): JSX.Element {
  const sites = sitesIn(role.scope);
  return (
    <th scope="col">
      <a href={addressOf(['role', role.id])} title={role.comments || role.name}>
        {role.name}
      </a>
      <span class={classes.fact}>{say('roles_rights_count', { count: role.permissions.length })}</span>
      <span class={classes.fact}>
        {sites === '*' ? say('access_all_sites') : say('roles_sites', { count: sites.length })}
      </span>
    </th>
  );
}

type GroupProps = Omit<MatrixTableProps, 'groups'> & { group: PermissionGroup };

function Group({ group, all, roles, marksDifferences }: GroupProps): JSX.Element {
  const { resource, permissions } = group;
  const sets = useMemo(() => roles.map((role) => new Set<string>(role.permissions)), [roles]);
  return (
    <tbody>
      <tr class={classes.resource}>
        <th scope="rowgroup">{resourceText(resource)}</th>
        {roles.map(({ id }, at) => (
          <td key={id}>
            <Share permissions={all.get(resource) ?? permissions} granted={sets[at] ?? new Set()} />
          </td>
        ))}
      </tr>
      {permissions.map((permission) => {
        const isDifferent = marksDifferences && differs(permission, roles);
        return (
          <tr key={permission} class={isDifferent ? classes.different : ''}>
            <th scope="row">
              <span class={classes.action}>{actionText(actionOf(permission))}</span>
              {isDifferent && <Different />}
            </th>
            {roles.map((role) => (
              <Cell key={role.id} isGranted={grants(role, permission)} />
            ))}
          </tr>
        );
      })}
    </tbody>
  );
}

const Different = (): JSX.Element => (
  <span class={classes.sign} title={say('roles_different')}>
    <span aria-hidden="true">≠</span>
    <span class="unseen">{say('roles_different')}</span>
  </span>
);

/** How many of the permissions of a resource a role grants. */
function Share({
  permissions,
  granted,
}: {
  permissions: readonly string[];
  granted: ReadonlySet<string>;
}): JSX.Element {
  const count = permissions.filter((permission) => granted.has(permission)).length;
  return (
    <>
      <span aria-hidden="true">{`${countText(count)}/${countText(permissions.length)}`}</span>
      <span class="unseen">{say('roles_share', { count, total: permissions.length })}</span>
    </>
  );
}

const Cell = ({ isGranted }: { isGranted: boolean }): JSX.Element => (
  <td class={isGranted ? classes.granted : classes.missing}>
    {isGranted ? <Icon name="check" /> : <span aria-hidden="true">·</span>}
    <span class="unseen">{say(isGranted ? 'roles_granted' : 'roles_not_granted')}</span>
  </td>
);

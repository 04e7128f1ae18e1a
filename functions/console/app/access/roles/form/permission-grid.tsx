import type { JSX } from 'preact';
import { say } from '../../../texts.ts';
import { actionOf, actionText, resourceText } from '../../parts/rights.ts';
import { isMain, mainActions, type PermissionGroup } from '../permissions.ts';
import { moveByKey } from './moves.ts';
import { keyOfAll, PermissionBox, ResourceBox } from './permission-box.tsx';
import classes from './permissions-input.module.css';
import type { Ticks } from './ticks.ts';

type PermissionGridProps = {
  groups: readonly PermissionGroup[];
  ticks: Ticks;
  labelOf: (permission: string) => string;
};

/** The keys of the boxes of the grid, in their order. */
export const boxKeys = (groups: readonly PermissionGroup[]): string[] =>
  groups.flatMap(({ resource, permissions }) => [keyOfAll(resource), ...permissions]);

/** Resources as rows, the common actions as columns, and further actions below each resource. */
export const PermissionGrid = ({ groups, ...rest }: PermissionGridProps): JSX.Element => (
  <table class={classes.grid} onKeyDown={moveByKey}>
    <caption class="unseen">{say('roles_grid')}</caption>
    <thead>
      <tr>
        <th scope="col">{say('access_column_resource')}</th>
        <th scope="col">{say('roles_all')}</th>
        {mainActions.map((action) => (
          <th key={action} scope="col">
            {actionText(action)}
          </th>
        ))}
      </tr>
    </thead>
    {groups.map((group) => (
      <ResourceRows key={group.resource} group={group} {...rest} />
    ))}
  </table>
);

type ResourceRowsProps = Omit<PermissionGridProps, 'groups'> & { group: PermissionGroup };

function ResourceRows({ group: { resource, permissions }, ticks, labelOf }: ResourceRowsProps): JSX.Element {
  const further = permissions.filter((permission) => !isMain(permission));
  return (
    <tbody>
      <tr>
        <th scope="row">{resourceText(resource)}</th>
        <td>
          <ResourceBox ticks={ticks} resource={resource} permissions={permissions} />
        </td>
        {mainActions.map((action) => (
          <td key={action}>
            {permissions
              .filter((permission) => actionOf(permission) === action)
              .map((permission) => (
                <PermissionBox
                  key={permission}
                  {...{ ticks, permission, label: labelOf(permission), word: actionText(action) }}
                />
              ))}
          </td>
        ))}
      </tr>
      {further.length > 0 && (
        <tr class={classes.further}>
          <td colSpan={mainActions.length + 2}>
            <div>
              {further.map((permission) => (
                <PermissionBox key={permission} {...{ ticks, permission, label: labelOf(permission) }} />
              ))}
            </div>
          </td>
        </tr>
      )}
    </tbody>
  );
}

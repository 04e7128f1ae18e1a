import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SearchField } from '../../../../../shared/web/ui/controls/search-field.tsx';
import type { Column } from '../../../../../shared/web/ui/table/columns.ts';
import { Table } from '../../../../../shared/web/ui/table/table.tsx';
import { may } from '../../facts.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import { actionOf, actionText, matches, resourceOf, resourceText } from '../parts/rights.ts';
import type { UserAccess } from './use-access.ts';

type Permission = NonNullable<UserAccess['permissions']>[number];
type Role = NonNullable<UserAccess['roles']>[number];
/** Actions on one resource in the same sites by the same roles. */
type Right = { key: string; resource: string; permissions: Permission[] };

/** Rows from which a filter helps. */
const fewRights = 8;

/** The effective permissions, each with its sites and the roles that grant it. */
export function RightsCard({ access: { roles, permissions } }: { access: UserAccess }): JSX.Element {
  const [text, setText] = useState('');
  if (roles === null || permissions === null) return <Hidden />;
  const rights = rightsOf(permissions.filter(({ id }) => matches(id, text)));
  return (
    <section class={classes.card}>
      <h2>{say('access_rights_title')}</h2>
      <p class={classes.quiet}>
        {roles.length === 0 ? say('access_rights_none') : say('access_rights_text')}
      </p>
      {roles.length > 0 && (
        <>
          {rightsOf(permissions).length > fewRights && (
            <SearchField label={say('access_rights_filter')} text={text} onText={setText} />
          )}
          <Table
            caption={say('access_rights_title')}
            columns={columnsFor(new Map(roles.map((role) => [role.id, role])))}
            rows={rights}
            rowKey={({ key }) => key}
            empty={say('access_rights_no_match')}
          />
        </>
      )}
    </section>
  );
}

const Hidden = (): JSX.Element => (
  <section class={classes.card}>
    <h2>{say('access_rights_title')}</h2>
    <p class={classes.quiet}>{say('access_rights_hidden')}</p>
  </section>
);

function rightsOf(permissions: readonly Permission[]): Right[] {
  const groups = Map.groupBy(permissions, ({ id, sites, roles }) =>
    JSON.stringify([resourceOf(id), sites, roles]),
  );
  return [...groups]
    .map(([key, all]) => ({ key, resource: resourceOf(all[0]?.id ?? ''), permissions: all }))
    .sort((a, b) => resourceText(a.resource).localeCompare(resourceText(b.resource)));
}

const actionsOf = ({ permissions }: Right): string =>
  permissions.map(({ id }) => actionText(actionOf(id))).join(', ');

const columnsFor = (roles: ReadonlyMap<string, Role>): Column<Right>[] => [
  {
    key: 'resource',
    header: say('access_column_resource'),
    cell: ({ resource }) => resourceText(resource),
  },
  { key: 'actions', header: say('access_column_actions'), cell: actionsOf },
  {
    key: 'sites',
    header: say('access_column_sites'),
    cell: ({ permissions: [first] }) => <Sites sites={first?.sites ?? []} />,
  },
  {
    key: 'roles',
    header: say('access_column_roles'),
    cell: ({ permissions: [first] }) => (
      <ul class={classes.chips}>
        {(first?.roles ?? []).map((id) => (
          <li key={id}>
            <RoleLink id={id} name={roles.get(id)?.name ?? id} />
          </li>
        ))}
      </ul>
    ),
  },
];

const RoleLink = ({ id, name }: { id: string; name: string }): JSX.Element =>
  may(['roles.read']) ? <a href={addressOf(['role', id])}>{name}</a> : <span>{name}</span>;

/** The sites in which a permission applies. A name can be hidden from the reader. */
function Sites({ sites }: { sites: Permission['sites'] }): JSX.Element {
  if (sites === '*') return <>{say('access_all_sites')}</>;
  const names = sites.map(({ name }) => name ?? say('access_hidden_site'));
  return <>{[...new Set(names)].join(', ')}</>;
}

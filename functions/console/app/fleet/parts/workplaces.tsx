import type { JSX } from 'preact';
import type { CellProps, Extension } from '../../records/extension.ts';
import { Value } from '../../records/fields/value.tsx';
import type { Kind, Row } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import { hasActions } from '../actions/fleet-actions.ts';
import { FarmStates } from '../farms/farm-states.tsx';
import { Links, ListLink, personText, textIn } from './links.tsx';
import { namedFilter } from './named-filter.tsx';
import { RowActions, SelectionActions } from './selection-actions.tsx';

type DialogPartsProps = { kind: Kind; row: Row; onClose: () => void };

type Owner = { domain: string | null; name: string };
const ownerOf = (row: Row): Owner | null => (row.owner ?? null) as Owner | null;

const placeOf = (row: Row) => ({ farm_id: String(row.farm_id) });
const sessionQuery = (row: Row) => ({ ...placeOf(row), workplace_uuid: String(row.uuid) });

function WorkplaceParts({ kind, row, onClose }: DialogPartsProps): JSX.Element {
  const owner = ownerOf(row);
  const pool = textIn(row, 'servicepool_uuid');
  const person = owner && personText(owner.domain ?? undefined, owner.name);
  return (
    <>
      <RowActions kind={kind} row={row} onClose={onClose} />
      <Links
        links={[
          { type: 'spsession', query: sessionQuery(row), children: say('fleet_its_sessions') },
          person === null
            ? undefined
            : {
                type: 'workplace',
                query: { owner: person },
                children: say('fleet_of_owner', { name: owner?.name ?? '' }),
              },
          pool === undefined
            ? undefined
            : {
                type: 'workplace',
                query: { ...placeOf(row), servicepool_uuid: pool },
                children: say('fleet_same_pool'),
              },
        ]}
      />
    </>
  );
}

/** The state of a workplace that is in use leads to its session. */
function State({ field, row }: CellProps): JSX.Element {
  const state = <Value field={field} value={row.state} row={row} isShort={true} />;
  if (row.in_use !== true) return state;
  return (
    <ListLink type="spsession" query={sessionQuery(row)}>
      {state}
    </ListLink>
  );
}

/** An owner leads to all workplaces of the user. */
function OwnerName({ field, row }: CellProps): JSX.Element {
  const owner = ownerOf(row);
  if (!owner) return <Value field={field} value={null} row={row} isShort={true} />;
  const person = personText(owner.domain ?? undefined, owner.name);
  return (
    <ListLink type="workplace" query={{ owner: person }}>
      <span title={person}>{owner.name}</span>
    </ListLink>
  );
}

const PoolName = ({ row }: CellProps): JSX.Element => {
  const pool = textIn(row, 'servicepool_uuid');
  const name = textIn(row, 'servicepool_name') ?? '–';
  if (pool === undefined) return <>{name}</>;
  return (
    <ListLink type="workplace" query={{ ...placeOf(row), servicepool_uuid: pool }}>
      {name}
    </ListLink>
  );
};

export const workplaces: Extension = {
  ListHead: FarmStates,
  SelectionActions,
  canSelect: hasActions,
  DialogParts: WorkplaceParts,
  cells: { state: State, owner: OwnerName, servicepool_name: PoolName },
  filters: {
    servicepool_uuid: namedFilter({
      type: 'servicespool',
      uuid: 'servicepool_uuid',
      name: 'servicepool_name',
    }),
  },
  columns: ['farm_id', 'servicepool_name', 'state', 'machine_state', 'owner'],
};

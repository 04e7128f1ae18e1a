import type { JSX } from 'preact';
import type { CellProps, Extension } from '../../records/extension.ts';
import type { Kind, Row } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import { hasActions } from '../actions/fleet-actions.ts';
import { useCapabilities } from '../actions/use-capabilities.ts';
import { FarmStates } from '../farms/farm-states.tsx';
import { Assist } from './assist.tsx';
import { Links, ListLink, personText, textIn } from './links.tsx';
import { namedFilter } from './named-filter.tsx';
import { RowActions, SelectionActions } from './selection-actions.tsx';

type DialogPartsProps = { kind: Kind; row: Row; onClose: () => void };

/** The list of workplaces has no filter for one: its name in its farm finds it. */
const workplaceQuery = (row: Row) => ({
  farm_id: String(row.farm_id),
  search: textIn(row, 'workplace_name'),
});

const personOf = (row: Row): string | undefined => {
  const name = textIn(row, 'user');
  return name === undefined ? undefined : personText(textIn(row, 'domain'), name);
};

function SessionParts({ kind, row, onClose }: DialogPartsProps): JSX.Element {
  const person = personOf(row);
  const canDo = useCapabilities([row]);
  return (
    <>
      <RowActions kind={kind} row={row} onClose={onClose} />
      {canDo(row, ['session_assistance']) && <Assist kind={kind} row={row} />}
      {!canDo(row, ['reported_sessions']) && <p>{say('fleet_derived')}</p>}
      <Links
        links={[
          textIn(row, 'workplace_name') === undefined
            ? undefined
            : { type: 'workplace', query: workplaceQuery(row), children: say('fleet_its_workplace') },
          person === undefined
            ? undefined
            : {
                type: 'spsession',
                query: { user: person },
                children: say('fleet_sessions_of', { name: person }),
              },
        ]}
      />
    </>
  );
}

const WorkplaceName = ({ row }: CellProps): JSX.Element => {
  const name = textIn(row, 'workplace_name');
  if (name === undefined) return <>–</>;
  return (
    <ListLink type="workplace" query={workplaceQuery(row)}>
      {name}
    </ListLink>
  );
};

export const sessions: Extension = {
  ListHead: FarmStates,
  SelectionActions,
  canSelect: hasActions,
  DialogParts: SessionParts,
  cells: { workplace_name: WorkplaceName },
  filters: {
    servicepool_uuid: namedFilter({
      type: 'servicespool',
      uuid: 'servicepool_uuid',
      name: 'servicepool_name',
    }),
    workplace_uuid: namedFilter({ type: 'workplace', uuid: 'workplace_uuid', name: 'workplace_name' }),
  },
  columns: ['state', 'workplace_name', 'servicepool_name', 'farm_id', 'started_at'],
};

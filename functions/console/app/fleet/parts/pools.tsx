import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import type { CellProps, Extension } from '../../records/extension.ts';
import { Value } from '../../records/fields/value.tsx';
import { allowed, type Kind, type Row } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import { hasActions } from '../actions/fleet-actions.ts';
import { useCapabilities } from '../actions/use-capabilities.ts';
import { FarmStates } from '../farms/farm-states.tsx';
import { Links, ListLink } from './links.tsx';
import classes from './parts.module.css';
import { PoliciesDialog } from './policies-dialog.tsx';
import { PoolForm } from './pool-form.tsx';
import { RowActions, SelectionActions } from './selection-actions.tsx';

type DialogPartsProps = { kind: Kind; row: Row; onClose: () => void };

const ofPool = (row: Row) => ({ farm_id: String(row.farm_id), servicepool_uuid: String(row.uuid) });

function PoolParts({ kind, row, onClose }: DialogPartsProps): JSX.Element {
  const [shown, setShown] = useState<'policies' | 'form'>();
  const close = () => setShown(undefined);
  const policies = allowed(kind.actions.find(({ id }) => id === 'servicespool.policies'));
  const update = allowed(kind.update);
  const canDo = useCapabilities([row]);
  return (
    <>
      <div class={classes.actions}>
        {update && (
          <Button look="plain" onClick={() => setShown('form')}>
            {update.label}
          </Button>
        )}
        {policies && (
          <Button look="plain" onClick={() => setShown('policies')}>
            {policies.label}
          </Button>
        )}
      </div>
      <RowActions kind={kind} row={row} onClose={onClose} />
      {!canDo(row, ['pool_maintenance']) && <p>{say('fleet_closes_access')}</p>}
      <Links
        links={[
          { type: 'workplace', query: ofPool(row), children: say('fleet_its_workplaces') },
          { type: 'spsession', query: ofPool(row), children: say('fleet_its_sessions') },
        ]}
      />
      {shown === 'policies' && <PoliciesDialog row={row} onClose={close} />}
      {shown === 'form' && update && (
        <PoolForm kind={kind} verb={update} row={row} onClose={close} onSaved={onClose} />
      )}
    </>
  );
}

/** Maintenance is the more important state. */
const State = ({ field, row }: CellProps): JSX.Element =>
  row.maintenance === true ? (
    <Mark tone="warn">{say('fleet_in_maintenance')}</Mark>
  ) : (
    <Value field={field} value={row.state} row={row} isShort={true} />
  );

/** From this share on, a pool is shown as nearly full. */
const nearlyFull = 0.9;

/** Workplaces in use of those that the pool may have. */
function Capacity({ field, row }: CellProps): JSX.Element {
  const { in_use_count: used, max_srvs: most } = row;
  if (typeof used !== 'number' || typeof most !== 'number')
    return <Value field={field} value={row.usage_percent} row={row} isShort={true} />;
  const share = most > 0 ? Math.min(1, used / most) : 0;
  return (
    <span class={`${classes.capacity} ${share >= nearlyFull ? classes.full : ''}`}>
      <span class={classes.track} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <b>{say('part_of', { part: used, all: most })}</b>
    </span>
  );
}

const countLink = (type: string) =>
  function CountLink({ field, row }: CellProps): JSX.Element {
    const value = row[field.name];
    if (typeof value !== 'number' || value === 0)
      return <Value field={field} value={value} row={row} isShort={true} />;
    return (
      <ListLink type={type} query={ofPool(row)}>
        {countText(value)}
      </ListLink>
    );
  };

export const pools: Extension = {
  ListHead: FarmStates,
  SelectionActions,
  canSelect: hasActions,
  DialogParts: PoolParts,
  cells: {
    state: State,
    usage_percent: Capacity,
    workplaces_count: countLink('workplace'),
    in_use_count: countLink('spsession'),
  },
  columns: ['state', 'farm_id', 'usage_percent', 'workplaces_count', 'in_use_count'],
};

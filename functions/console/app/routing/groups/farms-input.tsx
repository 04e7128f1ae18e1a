import type { JSX } from 'preact';
import { Combobox } from '../../../../../shared/web/ui/controls/combobox.tsx';
import { closedUp } from '../../../../../shared/web/ui/ranking/order.ts';
import { RankedList } from '../../../../../shared/web/ui/ranking/ranked-list.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { kindOf, useKinds } from '../../records/kinds.ts';
import { findNamed, useNames } from '../../records/references.ts';
import { say } from '../../texts.ts';
import { RankingField } from '../ranking-field.tsx';

type Preference = { farm_id: string; priority: number };

/** The farms of a priority group in the order in which they are preferred. */
export function FarmsInput({ field, value, place, faults, onChange }: InputProps): JSX.Element {
  const farms = (Array.isArray(value) ? value : []) as Preference[];
  const kind = kindOf(useKinds(), 'farm');
  const names = useNames(
    'farm',
    farms.map(({ farm_id }) => farm_id),
  );
  const items = farms.map(({ farm_id, priority }) => ({
    key: farm_id,
    rank: priority,
    name: names.of(farm_id)?.name ?? `${farm_id.slice(0, 8)}…`,
  }));
  const order = (ranks: readonly { key: string; rank: number }[]) =>
    onChange(ranks.map(({ key, rank }) => ({ farm_id: key, priority: rank })));
  const last = Math.max(0, ...farms.map(({ priority }) => priority));
  return (
    <RankingField field={field} place={place} faults={faults}>
      <RankedList
        label={field.label}
        items={items}
        onOrder={order}
        onRemove={(gone) => order(closedUp(items.filter(({ key }) => key !== gone)))}
      />
      <Combobox
        label={say('ranking_add_farm')}
        isMany={false}
        chosen={[]}
        onChange={([id]) => id && order(closedUp([...items, { key: id, rank: last + 1 }]))}
        find={async (text, signal) =>
          kind
            ? (await findNamed(kind, text, signal)).filter(
                ({ id }) => !farms.some((one) => one.farm_id === id),
              )
            : []
        }
      />
    </RankingField>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Combobox } from '../../../../../shared/web/ui/controls/combobox.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { closedUp, type Ranked } from '../../../../../shared/web/ui/ranking/order.ts';
import { RankedList } from '../../../../../shared/web/ui/ranking/ranked-list.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { Switch } from '../../records/form/inputs/switch.tsx';
import { useNames } from '../../records/references.ts';
import { say } from '../../texts.ts';
import { RankingField } from '../ranking-field.tsx';
import { findPools, keyOf, type Member, nameOf, type Pool, usePools } from './pools.ts';

/** The pools of a rule in the order in which they are tried, chosen by name from the pools of the site. */
export function MembersInput({ field, value, values, place, faults, onChange }: InputProps): JSX.Element {
  const members = (Array.isArray(value) ? value : []) as Member[];
  const siteId = typeof values.site_id === 'string' ? values.site_id : undefined;
  const items = useItems(members, siteId, (key, enabled) =>
    onChange(members.map((one) => (keyOf(one) === key ? { ...one, enabled } : one))),
  );
  const order = (ranks: readonly Ranked[], known = members) =>
    onChange(
      ranks.flatMap(({ key, rank }) =>
        known.flatMap((one) => (keyOf(one) === key ? [{ ...one, priority: rank }] : [])),
      ),
    );
  const add = (member: Member) => {
    const last = Math.max(0, ...members.map(({ priority }) => priority));
    order(closedUp([...items, { key: keyOf(member), rank: last + 1 }]), [...members, member]);
  };
  return (
    <RankingField field={field} place={place} faults={faults}>
      <RankedList
        label={field.label}
        items={items}
        onOrder={(ranks) => order(ranks)}
        onRemove={(gone) => order(closedUp(items.filter(({ key }) => key !== gone)))}
      />
      {siteId === undefined ? (
        <Notice tone="info" title={say('ranking_site_first')} />
      ) : (
        <PoolChoice siteId={siteId} members={members} onAdd={add} />
      )}
    </RankingField>
  );
}

/** The members with their names, as far as the pools of the site are known. */
function useItems(
  members: readonly Member[],
  siteId: string | undefined,
  onEnabled: (key: string, enabled: boolean) => void,
) {
  const { data } = usePools(siteId);
  const farms = useNames(
    'farm',
    members.map(({ farm_id }) => farm_id),
  );
  const byKey = new Map(
    data?.items.map((pool) => [keyOf({ farm_id: pool.farm_id, servicepool_uuid: pool.uuid }), pool]),
  );
  return members.map((member) => {
    const key = keyOf(member);
    const pool = byKey.get(key);
    const farm = pool?.farm_name ?? farms.of(member.farm_id)?.name ?? '';
    const name = pool ? nameOf(pool) : nameOf({ name: null, uuid: member.servicepool_uuid });
    return {
      key,
      rank: member.priority,
      name: farm === '' ? name : say('ranking_pool_of_farm', { pool: name, farm }),
      content: (
        <Switch
          label={say('ranking_enabled')}
          isOn={member.enabled}
          onChange={(isOn) => onEnabled(key, isOn)}
        />
      ),
    };
  });
}

type PoolChoiceProps = { siteId: string; members: readonly Member[]; onAdd: (member: Member) => void };

function PoolChoice({ siteId, members, onAdd }: PoolChoiceProps): JSX.Element {
  const [found, setFound] = useState<readonly Pool[]>([]);
  const memberOf = ({ farm_id, uuid }: Pool): Member => ({
    farm_id,
    servicepool_uuid: uuid,
    priority: 1,
    enabled: true,
  });
  const taken = new Set(members.map(keyOf));
  return (
    <Combobox
      label={say('ranking_add_pool')}
      hint={say('ranking_add_pool_hint')}
      isMany={false}
      chosen={[]}
      onChange={([id]) => {
        const pool = found.find((one) => keyOf(memberOf(one)) === id);
        if (pool) onAdd(memberOf(pool));
      }}
      find={async (text, signal) => {
        const pools = (await findPools(siteId, text, signal)).filter(
          (pool) => !taken.has(keyOf(memberOf(pool))),
        );
        setFound(pools);
        return pools.map((pool) => ({
          id: keyOf(memberOf(pool)),
          name: nameOf(pool),
          within: pool.farm_name,
        }));
      }}
    />
  );
}

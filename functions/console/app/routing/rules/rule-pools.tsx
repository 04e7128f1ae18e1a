import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Meter } from '../../../../../shared/web/ui/figures/figures.tsx';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { may } from '../../facts.ts';
import type { Row } from '../../records/kinds.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { type Farm, keyOf, type Member, nameOf, type Pool, type Pools, usePools } from './pools.ts';
import classes from './rules.module.css';

/** On the page of a rule: its pools in the order of their ranks, with the state of each farm now. */
export function RulePools({ row }: { row: Row }): JSX.Element {
  const title = useId();
  const mayRead = may(['servicespools.read']);
  const { data, error } = usePools(mayRead ? String(row.site_id) : undefined);
  return (
    <section class={classes.part} aria-labelledby={title}>
      <h2 id={title}>{say('rule_pools')}</h2>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {mayRead && !data && error === null && <Skeleton height="6rem" />}
      {!mayRead && <List shown={shownOf(row, { items: [] })} farms={[]} />}
      {data && <List shown={shownOf(row, data)} farms={data.sites ?? []} />}
    </section>
  );
}

/** A pool of the rule; only its identifier if it is not among the known pools. */
type Shown = { key: string; rank: number | undefined; isOn: boolean; pool: Pool | undefined; member: Member };

function shownOf({ members, match_tags }: Row, { items }: Pick<Pools, 'items'>): Shown[] {
  const memberOf = ({ farm_id, uuid }: Pool): Member => ({
    farm_id,
    servicepool_uuid: uuid,
    priority: 1,
    enabled: true,
  });
  if (match_tags !== null) {
    return items
      .filter(({ tags }) => matches(match_tags as TagMatch, tags ?? []))
      .map((pool) => {
        const member = memberOf(pool);
        return { key: keyOf(member), rank: undefined, isOn: true, pool, member };
      });
  }
  const byKey = new Map(items.map((pool) => [keyOf(memberOf(pool)), pool]));
  return ((members ?? []) as Member[])
    .toSorted((a, b) => a.priority - b.priority)
    .map((member) => {
      const key = keyOf(member);
      return { key, rank: member.priority, isOn: member.enabled, pool: byKey.get(key), member };
    });
}

type TagMatch = { any: string[]; all: string[] };

function matches({ any, all }: TagMatch, tags: readonly string[]): boolean {
  const own = new Set(tags.map((tag) => tag.toLowerCase()));
  const has = (tag: string) => own.has(tag.toLowerCase());
  return all.every(has) && (any.length === 0 || any.some(has));
}

const List = ({ shown, farms }: { shown: readonly Shown[]; farms: readonly Farm[] }): JSX.Element =>
  shown.length === 0 ? (
    <p class={classes.quiet}>{say('rule_no_pools')}</p>
  ) : (
    <ul class={classes.pools}>
      {shown.map((one) => (
        <PoolRow
          key={one.key}
          shown={one}
          farm={farms.find(({ farm_id }) => farm_id === one.member.farm_id)}
        />
      ))}
    </ul>
  );

const tones: Record<Farm['status'], MarkTone> = {
  ok: 'good',
  pending: 'warn',
  stale: 'warn',
  timeout: 'bad',
  error: 'bad',
  circuit_open: 'bad',
  maintenance: 'warn',
  disabled: 'off',
};

type PoolRowProps = { shown: Shown; farm: Farm | undefined };

function PoolRow({ shown: { rank, isOn, pool, member }, farm }: PoolRowProps): JSX.Element {
  const { farm_id, servicepool_uuid } = member;
  const name = nameOf({ name: pool?.name ?? null, uuid: servicepool_uuid });
  const used = pool?.usage_percent ?? null;
  return (
    <li>
      {rank !== undefined && <span class={classes.rank}>{rank}</span>}
      <div class={classes.name}>
        <a href={addressOf(['servicespool'], { farm_id, search: pool?.name ?? undefined })}>{name}</a>
        <a class={classes.quiet} href={addressOf(['farm', farm_id])}>
          {farm?.farm_name ?? pool?.farm_name ?? say('rule_farm')}
        </a>
      </div>
      {(farm || !isOn) && <Mark tone={stateOf(isOn, pool, farm)[0]}>{stateOf(isOn, pool, farm)[1]}</Mark>}
      {used !== null && (
        <div class={classes.meter}>
          <Meter
            label={say('rule_used')}
            value={used}
            max={100}
            text={say('percent', { percent: Math.round(used) })}
            isBad={used >= 90}
          />
        </div>
      )}
    </li>
  );
}

/** What matters most first: the rule, the farm, the pool. */
function stateOf(isOn: boolean, pool: Pool | undefined, farm: Farm | undefined): [MarkTone, string] {
  if (!isOn) return ['off', say('rule_pool_off')];
  if (farm && farm.status !== 'ok') return [tones[farm.status], say(`rule_farm_${farm.status}`)];
  if (pool?.maintenance) return ['warn', say('rule_pool_maintenance')];
  return pool ? ['good', say('rule_farm_ok')] : ['none', say('rule_pool_unknown')];
}

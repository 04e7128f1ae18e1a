import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { agoText, momentText, periodText } from '../../../../shared/web/text/moments.ts';
import { countText } from '../../../../shared/web/text/numbers.ts';
import { Mark } from '../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../texts.ts';
import {
  type Certificate,
  type Dashboard,
  type Failure,
  type FullPool,
  isMissing,
  type Maintenance,
  type Missing,
} from './dashboard.ts';
import classes from './overview.module.css';
import { daysText } from './sites/node-table.tsx';
import { failureText } from './words.ts';

/** What the sites have in common: failures, maintenance, and what will soon be a failure. */
export function Panels({ dashboard }: { dashboard: Dashboard }): JSX.Element {
  const now = Date.parse(dashboard.generated_at);
  return (
    <div class={classes.panels}>
      <Panel
        title={say('failures')}
        empty={say('no_failures')}
        part={dashboard.recent_failures}
        keyOf={({ code, source, cause }) => `${code} ${source} ${cause}`}
        show={(failure) => <FailureItem failure={failure} now={now} />}
      />
      <Panel
        title={say('maintenance')}
        empty={say('no_maintenance')}
        part={dashboard.maintenance}
        keyOf={({ object_type, object_id, site_id }) => `${object_type} ${object_id} ${site_id}`}
        show={(maintenance) => <MaintenanceItem maintenance={maintenance} />}
      />
      <Panel
        title={say('certificates')}
        empty={say('no_certificates')}
        part={dashboard.certificates_expiring}
        keyOf={({ dispatcher_id }) => dispatcher_id}
        show={(certificate) => <CertificateItem certificate={certificate} />}
      />
      <Panel
        title={say('full_pools')}
        empty={say('no_full_pools')}
        part={dashboard.pools_near_full}
        keyOf={({ farm_id, uuid }) => `${farm_id} ${uuid}`}
        show={(pool) => <PoolItem pool={pool} />}
      />
    </div>
  );
}

type PanelProps<Item> = {
  title: string;
  empty: string;
  part: Item[] | Missing;
  keyOf: (item: Item) => string;
  show: (item: Item) => ComponentChildren;
};

function Panel<Item>({ title, empty, part, keyOf, show }: PanelProps<Item>): JSX.Element {
  const id = useId();
  return (
    <section class={classes.panel} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {isMissing(part) && <p class={classes.bad}>{say('part_failed', { code: part.error })}</p>}
      {!isMissing(part) && part.length === 0 && <p class={classes.quiet}>{empty}</p>}
      {!isMissing(part) && part.length > 0 && (
        <ul>
          {part.map((item) => (
            <li key={keyOf(item)}>{show(item)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function FailureItem({ failure, now }: { failure: Failure; now: number }): JSX.Element {
  const { objects, objects_count, count, first_at, last_at, level } = failure;
  const names = objects.map(({ id, name }) => name ?? id).sort((a, b) => a.localeCompare(b));
  const more = objects_count - names.length;
  return (
    <>
      <Mark tone={level === 'critical' ? 'bad' : 'warn'}>
        <b>{failureText(failure)}</b>
      </Mark>
      {names.length > 0 && (
        <p>{more > 0 ? say('names_and_more', { names: names.join(', '), more }) : names.join(', ')}</p>
      )}
      <p class={classes.quiet}>
        {say('times', { count })}{' '}
        <time dateTime={last_at} title={agoText(last_at, now)}>
          {periodText(first_at, last_at)}
        </time>
      </p>
    </>
  );
}

function MaintenanceItem({ maintenance }: { maintenance: Maintenance }): JSX.Element {
  const { object_type, object_name, site_name, in_effect, title, message } = maintenance;
  return (
    <>
      <Mark tone={in_effect ? 'warn' : 'none'}>
        <b>{say(`maintenance_${object_type}`, { name: object_name })}</b>
      </Mark>
      {object_type !== 'site' && <p>{site_name}</p>}
      <p class={classes.quiet}>{timesText(maintenance)}</p>
      {(title ?? message) && <p class={classes.quiet}>{[title, message].filter(Boolean).join(': ')}</p>}
    </>
  );
}

function timesText({ in_effect, start_at, end_at }: Maintenance): string {
  if (in_effect)
    return end_at === null ? say('now_without_end') : say('now_until', { end: momentText(end_at) });
  const start = start_at ?? '';
  return end_at === null ? say('from', { start: momentText(start) }) : periodText(start, end_at);
}

const CertificateItem = ({
  certificate: { name, site_name, days_left, subject },
}: {
  certificate: Certificate;
}): JSX.Element => (
  <>
    <Mark tone={days_left < 7 ? 'bad' : 'warn'}>
      <b>{name}</b>
    </Mark>
    <p>{days_left < 0 ? say('expired') : say('expires_in', { age: daysText(days_left) })}</p>
    <p class={classes.quiet}>
      {site_name} · {subject}
    </p>
  </>
);

const PoolItem = ({
  pool: { name, uuid, farm_name, site_name, usage_percent },
}: {
  pool: FullPool;
}): JSX.Element => (
  <>
    <Mark tone={usage_percent >= 100 ? 'bad' : 'warn'}>
      <b>{name ?? uuid}</b>
    </Mark>
    <p>{say('pool_usage', { percent: countText(Math.round(usage_percent)) })}</p>
    <p class={classes.quiet}>
      {site_name} · {farm_name}
    </p>
  </>
);

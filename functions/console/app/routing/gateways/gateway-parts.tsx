import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { agoText, momentText } from '../../../../../shared/web/text/moments.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Tile } from '../../../../../shared/web/ui/figures/figures.tsx';
import type { Row } from '../../records/kinds.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from './gateways.module.css';

type Stats = { connections: number; sent: number; received: number };

const statsOf = ({ stats }: Row): Stats | undefined => (stats ?? undefined) as Stats | undefined;

/** Open tunnels as of the last heartbeat. */
export const tunnelsOf = (row: Row): number => statsOf(row)?.connections ?? 0;

/** On the page of a gateway: whether it serves users now, and how much. */
export function GatewayParts({ state: { row } }: { target: Target; state: RecordState }): JSX.Element {
  const title = useId();
  const stats = statsOf(row);
  const seen = typeof row.last_seen_at === 'string' ? row.last_seen_at : undefined;
  return (
    <section class={classes.part} aria-labelledby={title}>
      <h2 id={title}>{say('gateway_now')}</h2>
      <Service row={row} seen={seen} />
      <ul class={classes.tiles}>
        <Tile
          label={say('gateway_tunnels')}
          value={countText(stats?.connections ?? 0)}
          hint={
            seen === undefined ? say('gateway_no_heartbeat') : say('gateway_as_of', { ago: agoText(seen) })
          }
        />
        <Tile label={say('gateway_sent')} value={bytesText(stats?.sent ?? 0)} />
        <Tile label={say('gateway_received')} value={bytesText(stats?.received ?? 0)} />
        <Tile
          label={say('gateway_last_used')}
          value={typeof row.last_used_at === 'string' ? agoText(row.last_used_at) : say('gateway_never')}
        />
      </ul>
    </section>
  );
}

/** The first reason for which users are not connected through the gateway, or that they are. */
function Service({ row, seen }: { row: Row; seen: string | undefined }): JSX.Element {
  const count = tunnelsOf(row);
  const sites = Array.isArray(row.sites) ? row.sites.length : 0;
  if (row.enabled === false) return <Notice tone="warn" title={say('gateway_is_disabled', { count })} />;
  if (row.maintenance === true) return <Notice tone="warn" title={say('gateway_is_drained', { count })} />;
  if (row.token_set === false) return <Notice tone="bad" title={say('gateway_no_token')} />;
  if (row.state === 'offline' && seen !== undefined)
    return (
      <Notice tone="bad" title={say('gateway_is_offline', { time: momentText(seen) })}>
        {say('gateway_is_offline_text')}
      </Notice>
    );
  if (row.state !== 'online')
    return (
      <Notice tone="info" title={say('gateway_not_seen')}>
        {say('gateway_not_seen_text')}
      </Notice>
    );
  if (sites === 0) return <Notice tone="warn" title={say('gateway_no_sites')} />;
  return <Notice tone="good" title={say('gateway_serves', { count: sites })} />;
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** Bytes in the unit that gives at most three digits before the point. */
function bytesText(bytes: number): string {
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const format = new Intl.NumberFormat(document.documentElement.lang, {
    style: 'unit',
    unit: units[at] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1_000 ** at);
}

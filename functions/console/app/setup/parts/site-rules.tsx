import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { portal } from '../../../../../shared/web/client/session.ts';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { may } from '../../facts.ts';
import { stateText } from '../../overview/words.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';

const mostRules = 20;

/** The rules of a site, and what users see of its pools. */
export function SiteRules({ id }: { id: string }): JSX.Element {
  const { data } = useQuery({
    queryKey: ['list', 'rule', `site ${id}`],
    queryFn: ({ signal }) =>
      portal.call('site.listRules', { path: { id }, query: { limit: mostRules } }, { signal }),
  });
  return (
    <section class={classes.card} aria-labelledby="site-rules">
      <h2 id="site-rules">{say('setup_rules')}</h2>
      {!data && <Skeleton height="3rem" />}
      {data?.items.length === 0 && <p class={classes.quiet}>{say('setup_no_rules')}</p>}
      <ul class={classes.tree}>
        {data?.items.map(({ id: rule, name, enabled }) => (
          <li key={rule} class={classes.line}>
            <a href={addressOf(['rule', rule])}>{name}</a>
            {!enabled && <Mark tone="off">{stateText('disabled')}</Mark>}
          </li>
        ))}
      </ul>
      {may(['servicespools.read']) && <Offer id={id} />}
      <p class={classes.line}>
        {data?.next != null && <a href={addressOf(['rule'], { site_id: id })}>{say('setup_all_rules')}</a>}
        {may(['rules.create']) && (
          <a href={addressOf(['rule', 'new'], { site_id: id })}>{say('setup_next_rule')}</a>
        )}
      </p>
    </section>
  );
}

/** Which pools users see beside the services of rules. */
function Offer({ id }: { id: string }): JSX.Element | null {
  const direct = usePoolCount(id, true);
  const ofRules = usePoolCount(id, false);
  if (direct === undefined || ofRules === undefined) return null;
  if (direct > 0)
    return (
      <p class={classes.quiet}>
        {say('setup_direct_pools', { count: direct })}{' '}
        <a href={addressOf(['servicespool'], { site_id: id, offered_directly: 'true' })}>
          {say('setup_direct_pools_list')}
        </a>
      </p>
    );
  return <p class={classes.quiet}>{say(ofRules > 0 ? 'setup_rules_only' : 'setup_no_pools')}</p>;
}

/** @param offeredDirectly pools without an enabled rule of the site, or only those of rules */
function usePoolCount(siteId: string, offeredDirectly: boolean): number | undefined {
  const { data } = useQuery({
    // Also read again when a rule changes.
    queryKey: ['list', 'rule', `pools of ${siteId}`, offeredDirectly],
    queryFn: ({ signal }) => {
      const offered = offeredDirectly ? 'true' : 'false';
      const query = { site_id: siteId, offered_directly: offered, count: 'exact', limit: 1 } as const;
      return portal.call('servicespool.list', { query }, { signal });
    },
    refetchInterval: everyMs,
  });
  return data?.total;
}

/** Milliseconds between two counts: pools change at the dispatchers. */
const everyMs = 30_000;

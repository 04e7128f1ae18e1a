import type { JSX } from 'preact';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { may } from '../../facts.ts';
import { causeText } from '../../overview/words.ts';
import { addressOf, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { setupAddress } from '../entry.ts';
import classes from '../setup.module.css';
import { type FirstSync, useFirstSync } from '../use-first-sync.ts';

/** What the portal reads from the new node, as it happens, and what an administrator does next. */
export function DoneStep(): JSX.Element {
  const { query } = usePlace();
  const [site = '', farm = '', node = ''] = ['site', 'farm', 'node'].map(
    (name) => query.get(name) ?? undefined,
  );
  const sync = useFirstSync(site);
  return (
    <>
      {sync.isMissing ? (
        <Notice
          tone="info"
          title={say('setup_gone')}
          actions={<LinkButton href={setupAddress}>{say('setup_another')}</LinkButton>}
        />
      ) : (
        <section class={classes.card} aria-labelledby="first-sync">
          <h2 id="first-sync">{say(sync.isDone ? 'setup_ready' : 'setup_syncing')}</h2>
          <SyncSteps sync={sync} />
        </section>
      )}
      <h2>{say('setup_what_now')}</h2>
      <NextSteps site={site} farm={farm} node={node} />
    </>
  );
}

function SyncSteps({ sync }: { sync: FirstSync }): JSX.Element {
  const passed = sync.steps.filter(({ tone }) => tone === 'good').length;
  return (
    <div class={classes.step}>
      <Progress label={say('setup_syncing')} percent={(passed / sync.steps.length) * 100} />
      <ol class={classes.progress} aria-live="polite">
        {sync.steps.map(({ name, tone, text }) => (
          <li key={name} data-step={name}>
            <Mark tone={tone satisfies MarkTone}>
              <b>{say(`setup_sync_${name}`)}</b>
            </Mark>
            <span class={classes.quiet}>{text}</span>
          </li>
        ))}
      </ol>
      {sync.error !== null && (
        <Notice tone="warn" title={causeText(sync.error)}>
          {say('setup_sync_repeats')}
        </Notice>
      )}
    </div>
  );
}

type Ids = { site: string; farm: string; node: string };

const nextSteps = ({ site, farm, node }: Ids) =>
  [
    { name: 'rule', permission: 'rules.create', address: addressOf(['rule', 'new'], { site_id: site }) },
    { name: 'users', permission: 'sites.update', address: addressOf(['site', site, 'edit']) },
    { name: 'domain', permission: 'authenticators.create', address: addressOf(['authenticator', 'new']) },
    {
      name: 'node',
      permission: 'dispatchers.create',
      address: addressOf(['dispatcher', 'new'], { farm_id: farm }),
    },
    { name: 'check', permission: 'dispatchers.read', address: addressOf(['dispatcher', node]) },
    { name: 'another', permission: 'sites.create', address: setupAddress },
  ] as const;

const NextSteps = (ids: Ids): JSX.Element => (
  <ul class={classes.nextSteps}>
    {nextSteps(ids)
      .filter(({ permission }) => may([permission]))
      .map(({ name, address }) => (
        <li key={name}>
          <a href={address}>{say(`setup_next_${name}`)}</a>
          <span class={classes.quiet}>{say(`setup_next_${name}_hint`)}</span>
        </li>
      ))}
  </ul>
);

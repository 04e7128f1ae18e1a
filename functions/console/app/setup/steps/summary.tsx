import type { JSX } from 'preact';
import { say } from '../../texts.ts';
import type { Draft } from '../draft.ts';
import { hasAccount } from '../settings.ts';
import classes from '../setup.module.css';
import { type StepName, stepAddress } from '../use-setup.ts';

/** What will be created. Each row leads to its step. */
export function Summary({ draft, hasSecret }: { draft: Draft; hasSecret: boolean }): JSX.Element {
  const secret = say(hasSecret ? 'setup_key_set' : 'setup_key_not_set');
  const rows: [StepName, string, string][] = [
    ['site', say('setup_name'), draft.name],
    ['site', say('setup_uri'), draft.uri],
    ['site', say('setup_farm'), draft.farm],
    ['node', say('setup_node_name'), draft.node],
    ['node', say('setup_url'), draft.url],
    ['certificate', say('setup_trusts'), say(draft.ca === null ? 'setup_trusts_public' : 'setup_trusts_own')],
    ...accessRows(draft, secret),
  ];
  return (
    <dl class={classes.summary}>
      {rows.map(([step, name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd>
            <a href={stepAddress(step)} aria-label={say('setup_change_of', { name })}>
              {say('setup_change')}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const accessRows = (draft: Draft, secret: string): [StepName, string, string][] =>
  hasAccount(draft)
    ? [
        ['key', say('setup_account'), `${draft.accountName} (${draft.accountDomain})`],
        ['key', say('setup_account_password'), secret],
      ]
    : [['key', say('setup_health_key'), secret]];

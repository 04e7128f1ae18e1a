import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { portal } from '../../../../../../shared/web/client/session.ts';
import { may } from '../../../facts.ts';
import { say } from '../../../texts.ts';
import type { UserNames } from '../../draft.ts';
import classes from '../../setup.module.css';
import type { Setup } from '../../use-setup.ts';

type IdentityChoiceProps = { setup: Setup; labels: readonly string[] };

/** Domains that are shown here; the record of the farm has all of them. */
const mostDomains = 20;
const forms: readonly UserNames[] = ['unchanged', 'lower_case', 'without_suffix'];

/** Which domain of the portal is which one of the node, and whether unknown users are created there. */
export function IdentityChoice({ setup, labels }: IdentityChoiceProps): JSX.Element {
  const { draft, set } = setup;
  const domains = useDomains();
  return (
    <section class={`${classes.card} ${classes.identity}`} aria-labelledby="setup-identity">
      <h3 id="setup-identity">{say('setup_identity')}</h3>
      <p class={classes.quiet}>{say('setup_identity_hint')}</p>
      {domains.map((label) => (
        <DomainChoice key={label} setup={setup} label={label} labels={labels} />
      ))}
      <label class={classes.check}>
        <input
          type="checkbox"
          checked={draft.createsUsers}
          onChange={({ currentTarget }) => set({ createsUsers: currentTarget.checked })}
        />
        <span>
          <b>{say('setup_creates_users')}</b>
          <span class={classes.quiet}>{say('setup_creates_users_hint')}</span>
        </span>
      </label>
    </section>
  );
}

function useDomains(): string[] {
  const { data } = useQuery({
    queryKey: ['list', 'authenticator', 'setup'],
    queryFn: ({ signal }) => portal.call('authenticator.list', { query: { limit: mostDomains } }, { signal }),
    enabled: may(['authenticators.read']),
  });
  return data?.items.map(({ small_name }) => small_name) ?? [];
}

type DomainChoiceProps = { setup: Setup; label: string; labels: readonly string[] };

/** Without a choice, the domain has the same label on the node. */
function DomainChoice({ setup: { draft, set }, label, labels }: DomainChoiceProps): JSX.Element {
  const { [label]: chosen, ...others } = draft.identity;
  const change = (nodeLabel: string, userNames: UserNames) =>
    set({ identity: nodeLabel === '' ? others : { ...others, [label]: { nodeLabel, userNames } } });
  const userNames = chosen?.userNames ?? 'unchanged';
  const choices = [...new Set([...labels, ...(chosen ? [chosen.nodeLabel] : [])])];
  return (
    <div class={classes.pair}>
      <label>
        <span>{say('setup_identity_domain', { label })}</span>
        <select
          value={chosen?.nodeLabel ?? ''}
          onChange={({ currentTarget }) => change(currentTarget.value, userNames)}
        >
          <option value="">{say('setup_identity_same')}</option>
          {choices.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      {chosen && (
        <label>
          <span>{say('setup_identity_names', { label })}</span>
          <select
            value={userNames}
            onChange={({ currentTarget }) => change(chosen.nodeLabel, currentTarget.value as UserNames)}
          >
            {forms.map((form) => (
              <option key={form} value={form}>
                {say(`setup_names_${form}`)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

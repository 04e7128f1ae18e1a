import type { JSX } from 'preact';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { facts } from '../../facts.ts';
import type { Kind } from '../../records/kinds.ts';
import { addressOf, changedQuery, open, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './audit.module.css';

const hourMs = 3_600_000;

/** Times from which events are often read. */
const periods = {
  hour: () => new Date(Date.now() - hourMs),
  today: () => new Date(new Date().setHours(0, 0, 0, 0)),
  week: () => new Date(Date.now() - 7 * 24 * hourMs),
} as const;

type Period = keyof typeof periods;

type QuickFiltersProps = {
  kind: Kind;
  members: readonly (readonly [name: string, value: string, label: string])[];
};

/** Buttons for filters that are often used. A pressed one is removed by another click. */
export function QuickFilters({ kind, members }: QuickFiltersProps): JSX.Element {
  const { query } = usePlace();
  const change = (changes: Record<string, string | undefined>) =>
    open(addressOf([kind.type], changedQuery(query, changes)), { isSame: true });
  return (
    <>
      {(['hour', 'today', 'week'] as const).map((period) => {
        const isSet = isPeriod(query, period);
        return (
          <Chip
            key={period}
            label={say(`journal_${period}`)}
            isSet={isSet}
            onToggle={() => change(isSet ? { from: undefined, since: undefined } : since(period))}
          />
        );
      })}
      {members.map(([name, value, label]) => {
        const isSet = query.get(name) === value;
        return (
          <Chip
            key={`${name} ${value}`}
            label={label}
            isSet={isSet}
            onToggle={() => change({ [name]: isSet ? undefined : value })}
          />
        );
      })}
    </>
  );
}

/** The address has the time itself, so that it shows the same later, and the button that has set it. */
function since(period: Period): Record<string, string | undefined> {
  const from = periods[period]().toISOString();
  return { from, to: undefined, since: `${period} ${from}` };
}

const isPeriod = (query: URLSearchParams, period: Period): boolean =>
  query.get('from') !== null && query.get('since') === `${period} ${query.get('from')}`;

type ChipProps = { label: string; isSet: boolean; onToggle: () => void };

const Chip = ({ label, isSet, onToggle }: ChipProps): JSX.Element => (
  <Button look="plain" aria-pressed={isSet} onClick={onToggle}>
    {label}
  </Button>
);

/** Above the list of audit events. */
export const AuditFilters = ({ kind }: { kind: Kind }): JSX.Element => (
  <div class={classes.quick}>
    <fieldset>
      <legend class="unseen">{say('journal_quick_filters')}</legend>
      <QuickFilters
        kind={kind}
        members={[
          ['result', 'failure', say('journal_failed')],
          ['category', 'auth', say('journal_logins')],
          ['category', 'config', say('journal_settings')],
          ['user', facts.user.login, say('journal_mine')],
        ]}
      />
    </fieldset>
    <LinkButton look="plain" icon="check" href={addressOf(['audit_chain'])}>
      {say('audit_chain_verify')}
    </LinkButton>
  </div>
);

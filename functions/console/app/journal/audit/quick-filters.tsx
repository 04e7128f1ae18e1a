import type { JSX } from 'preact';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { facts } from '../../facts.ts';
import type { Kind } from '../../records/kinds.ts';
import { addressOf, changedQuery, open, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './audit.module.css';

/** Starts of the times from which events are often read. They are choices of the filter by time as well. */
const starts = { range_hour: '-PT1H', range_today: 'today', range_week: '-P7D' } as const;

const periods = ['range_hour', 'range_today', 'range_week'] as const;

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
      {periods.map((period) => {
        const from = starts[period];
        const isSet = query.get('from') === from && !query.get('to');
        return (
          <Chip
            key={period}
            label={say(period)}
            isSet={isSet}
            onToggle={() => change({ from: isSet ? undefined : from, to: undefined })}
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

import type { JSX } from 'preact';
import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import { may } from '../../facts.ts';
import { type Kind, kindOf, type Row, useKinds } from '../../records/kinds.ts';
import classes from '../../records/record/record.module.css';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import own from '../audit/audit.module.css';
import { QuickFilters } from '../audit/quick-filters.tsx';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const textOf = (key: string): string | undefined => (hasText(key) ? sayText(key) : undefined);

/** What the code of a record means, what to do, and what else is recorded about its object. */
export function Meaning({
  target: { kind },
  state: { row },
}: {
  target: Target;
  state: RecordState;
}): JSX.Element {
  const code = text(row.code);
  const meaning = textOf(`monitoring_means_${code}`);
  return (
    <section class={classes.card}>
      <h2 class={own.heading}>{say('monitoring_meaning')}</h2>
      {meaning === undefined ? (
        <p class={classes.quiet}>{say(row.code === '' ? 'monitoring_by_hand' : 'monitoring_no_meaning')}</p>
      ) : (
        <p>{meaning}</p>
      )}
      <Links kind={kind} row={row} code={code} />
    </section>
  );
}

function Links({ kind, row, code }: { kind: Kind; row: Row; code: string }): JSX.Element {
  const kinds = useKinds();
  const [object_type, object_id] = [text(row.object_type), text(row.object_id)];
  const about = kindOf(kinds, object_type);
  const hasObject = object_type !== '' && object_id !== '';
  return (
    <ul class={classes.related} aria-label={say('related')}>
      {hasObject && about?.get && about.parents.length === 0 && (
        <li>
          <a href={addressOf([object_type, object_id])}>
            {about.one} {text(row.object_name)}
          </a>
        </li>
      )}
      {hasObject && (
        <li>
          <a href={addressOf([kind.type], { object_type, object_id })}>{say('monitoring_of_object')}</a>
        </li>
      )}
      {hasObject && may(['audit.read']) && (
        <li>
          <a href={addressOf(['audit'], { object_type, object_id })}>{say('journal_of_object')}</a>
        </li>
      )}
      {code !== '' && (
        <li>
          <a href={addressOf([kind.type], { code })}>{say('monitoring_of_code')}</a>
        </li>
      )}
    </ul>
  );
}

/** Above the list of monitoring records. */
export const MonitoringFilters = ({ kind }: { kind: Kind }): JSX.Element => (
  <div class={own.quick}>
    <fieldset>
      <legend class="unseen">{say('journal_quick_filters')}</legend>
      <QuickFilters
        kind={kind}
        members={[
          ['state', 'open', say('monitoring_open')],
          ['state', 'acknowledged', say('monitoring_in_work')],
          ['level', 'critical', say('monitoring_critical')],
          ['level', 'error', say('monitoring_errors')],
        ]}
      />
    </fieldset>
  </div>
);

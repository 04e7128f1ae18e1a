import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Empty, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { dayOf, type Entry, hrefOf, movedBy, timesText, useCalendar } from '../calendar/calendar.ts';
import { Steps } from './steps.tsx';
import classes from './templates.module.css';

export const TemplateParts = ({ target, state }: { target: Target; state: RecordState }): JSX.Element => (
  <>
    <Steps plan={state.row} />
    <Objects id={target.id} />
  </>
);

/** The longest period of the calendar. */
const longest = 366;

/** The objects that are or will be in maintenance by the template, half a year around now. */
function Objects({ id }: { id: string }): JSX.Element {
  const title = useId();
  const from = movedBy(dayOf(new Date()), -longest / 2);
  const { data, error } = useCalendar({ from, length: longest, templateId: id });
  return (
    <section class={classes.part} aria-labelledby={title}>
      <h2 id={title}>{say('template_objects')}</h2>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {!data && error === null && <Skeleton height="4rem" />}
      {data?.entries.length === 0 && (
        <Empty icon="records" title={say('template_no_objects')}>
          <p>{say('template_no_objects_text')}</p>
          <a href={addressOf(['calendar'])}>{say('template_calendar')}</a>
        </Empty>
      )}
      {data && data.entries.length > 0 && <ObjectList entries={data.entries} />}
    </section>
  );
}

const ObjectList = ({ entries }: { entries: readonly Entry[] }): JSX.Element => (
  <ul class={classes.objects}>
    {entries.map((entry) => (
      <li key={`${entry.object_type} ${entry.farm_id} ${entry.object_id}`}>
        <a href={hrefOf(entry)}>{say(`maintenance_${entry.object_type}`, { name: entry.object_name })}</a>
        <span class={classes.quiet}>{entry.site_name}</span>
        <Mark tone={entry.in_effect ? 'warn' : 'none'}>
          {entry.in_effect ? say('calendar_now') : say('calendar_planned')}
        </Mark>
        <span class={classes.quiet}>{timesText(entry)}</span>
      </li>
    ))}
  </ul>
);

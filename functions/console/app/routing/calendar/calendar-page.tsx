import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { dateText } from '../../../../../shared/web/text/moments.ts';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty, Notice, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import { ReferenceInput } from '../../records/fields/reference-input.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { addressOf, changedQuery, open, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './calendar.module.css';
import { type Calendar, dayFrom, dayOf, days, dayText, movedBy, queryOf, useCalendar } from './calendar.ts';
import { PlanDialog, usePlannable } from './plan-dialog.tsx';
import { TimeLine } from './time-line.tsx';

/** The maintenance of all objects in four weeks. The period and the site are in the address. */
export function CalendarPage(): JSX.Element {
  const { query } = usePlace();
  const from = dayFrom(query.get('from'));
  const siteId = query.get('site_id') ?? undefined;
  const { data, error } = useCalendar({ from, siteId });
  const change = (changes: Record<string, string | undefined>) =>
    open(addressOf(['calendar'], changedQuery(query, changes)), { isSame: true });
  return (
    <div class={classes.page}>
      <Heading from={from} siteId={siteId} />
      <div class={classes.tools}>
        <Period from={from} onFrom={(day) => change({ from: day && dayText(day) })} />
        <ReferenceInput
          label={say('calendar_site')}
          type="site"
          ids={siteId ? [siteId] : []}
          isMany={false}
          onChange={([id]) => change({ site_id: id })}
        />
      </div>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {!data && error === null && <Skeleton height="16rem" />}
      {data && <Content calendar={data} />}
    </div>
  );
}

function Heading({ from, siteId }: { from: Date; siteId: string | undefined }): JSX.Element {
  const [isPlanning, setPlanning] = useState(false);
  const kinds = usePlannable();
  const query = { ...queryOf({ from, siteId }), days: String(days) };
  return (
    <div class={classes.heading}>
      <h1>{say('calendar_title')}</h1>
      <CopyCommand
        command={() => curlOf({ method: 'GET', path: '/api/webui/aggregator/maintenance/calendar', query })}
      />
      {may(['maintenance.create']) && (
        <LinkButton look="plain" href={addressOf(['maintenance_template', 'new'])}>
          {say('calendar_new_template')}
        </LinkButton>
      )}
      {kinds.length > 0 && <Button onClick={() => setPlanning(true)}>{say('calendar_plan')}</Button>}
      {isPlanning && <PlanDialog kinds={kinds} onClose={() => setPlanning(false)} />}
    </div>
  );
}

type PeriodProps = { from: Date; onFrom: (day: Date | undefined) => void };

const Period = ({ from, onFrom }: PeriodProps): JSX.Element => (
  <nav class={classes.period} aria-label={say('calendar_period')}>
    <Button look="plain" onClick={() => onFrom(movedBy(from, -days))}>
      {say('calendar_earlier')}
    </Button>
    <Button
      look="plain"
      disabled={from.getTime() === dayOf(new Date()).getTime()}
      onClick={() => onFrom(undefined)}
    >
      {say('calendar_today')}
    </Button>
    <Button look="plain" onClick={() => onFrom(movedBy(from, days))}>
      {say('calendar_later')}
    </Button>
    <span role="status">
      {dateText(from.toISOString())} – {dateText(movedBy(from, days - 1).toISOString())}
    </span>
  </nav>
);

function Content({ calendar }: { calendar: Calendar }): JSX.Element {
  const { entries, truncated, unused_templates } = calendar;
  return (
    <>
      {truncated && <Notice tone="warn" title={say('calendar_truncated', { count: entries.length })} />}
      {entries.length === 0 ? (
        <Empty icon="check" title={say('calendar_empty')}>
          {say('calendar_empty_text')}
        </Empty>
      ) : (
        <TimeLine calendar={calendar} />
      )}
      {unused_templates.length > 0 && (
        <Notice tone="info" title={say('calendar_unused')}>
          <ul class={classes.unused}>
            {unused_templates.map(({ id, name, start_at }) => (
              <li key={id}>
                <a href={addressOf(['maintenance_template', id])}>{name}</a>
                {start_at !== null && `, ${dateText(start_at)}`}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

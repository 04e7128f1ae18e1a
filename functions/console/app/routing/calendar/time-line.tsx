import type { JSX } from 'preact';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { facts } from '../../facts.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './calendar.module.css';
import {
  type Calendar,
  days,
  type Entry,
  effectText,
  groupsOf,
  hrefOf,
  movedBy,
  type SiteGroup,
  spanOf,
  timesText,
} from './calendar.ts';

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

/** The maintenance of a period: a row for each object, with a bar for its time. In a narrow window it is a list. */
export function TimeLine({ calendar }: { calendar: Calendar }): JSX.Element {
  const from = new Date(calendar.from);
  const now =
    (Date.parse(calendar.generated_at) - from.getTime()) / (Date.parse(calendar.to) - from.getTime());
  const style = { '--monday': percent(mondayIn(from) / days / (1 - 7 / days)), '--now': percent(now) };
  return (
    <table
      class={`${classes.table} ${now >= 0 && now <= 1 ? classes.current : ''}`}
      style={style}
      aria-label={say('calendar_title')}
    >
      <thead>
        <tr>
          <th scope="col">{say('calendar_object')}</th>
          <th scope="col" class={classes.axisCell}>
            <span class="unseen">{say('calendar_time')}</span>
            <Axis from={from} />
          </th>
        </tr>
      </thead>
      {groupsOf(calendar.entries).map((group) => (
        <Group key={group.id} group={group} calendar={calendar} />
      ))}
    </table>
  );
}

/** Days until the first Monday, at which a week begins. */
const mondayIn = (from: Date): number => (8 - from.getDay()) % 7;

const dayNumber = new Intl.DateTimeFormat(facts.language, { day: 'numeric' });
const dayMonth = new Intl.DateTimeFormat(facts.language, { day: 'numeric', month: 'short' });

const Axis = ({ from }: { from: Date }): JSX.Element => (
  <div class={classes.axis} aria-hidden="true">
    {Array.from({ length: days }, (_, at) => {
      const day = movedBy(from, at);
      // A month at the end has no room.
      const isMain = at === 0 || (day.getDay() === 1 && at < days - 2);
      const isWeekend = day.getDay() % 6 === 0;
      return (
        <span
          key={at}
          class={isMain ? classes.main : isWeekend ? classes.weekend : ''}
          title={dayMonth.format(day)}
        >
          {isMain ? dayMonth.format(day) : dayNumber.format(day)}
        </span>
      );
    })}
  </div>
);

type GroupProps = { group: SiteGroup; calendar: Calendar };

function Group({ group: { id, name, entries }, calendar }: GroupProps): JSX.Element {
  const ofSite = entries.filter(({ object_type }) => object_type === 'site');
  return (
    <tbody>
      <tr class={classes.site}>
        <th scope="rowgroup" colSpan={2}>
          <a href={addressOf(['site', id])}>{name}</a>
        </th>
      </tr>
      {entries.map((entry) => (
        <Row
          key={`${entry.object_type} ${entry.farm_id} ${entry.object_id}`}
          entry={entry}
          around={entry.object_type === 'site' ? [] : ofSite}
          calendar={calendar}
        />
      ))}
    </tbody>
  );
}

type RowProps = {
  entry: Entry;
  /** The maintenance of the site, which also applies to the object. */
  around: readonly Entry[];
  calendar: Calendar;
};

function Row({ entry, around, calendar }: RowProps): JSX.Element {
  const { object_type, object_name, farm_name, in_effect, template_id, title, message } = entry;
  const text = title ?? say('calendar_without_template');
  return (
    <tr class={classes.row}>
      <th scope="row">
        <a href={hrefOf(entry)}>{say(`maintenance_${object_type}`, { name: object_name })}</a>
        {(object_type === 'servicespool' || object_type === 'workplace') && (
          <span class={classes.quiet}>{farm_name}</span>
        )}
        <Mark tone={in_effect ? 'warn' : 'none'}>
          {in_effect ? say('calendar_now') : say('calendar_planned')}
        </Mark>
        <span class={classes.quiet}>{timesText(entry)}</span>
        <span class={classes.narrow}>
          {template_id === null ? (
            text
          ) : (
            <a href={addressOf(['maintenance_template', template_id])}>{text}</a>
          )}
          <span class={classes.quiet}>{effectText(entry)}</span>
        </span>
      </th>
      <td class={classes.lane}>
        {around.map((site) => (
          <Bar key={site.object_id} entry={site} calendar={calendar} isBand={true} />
        ))}
        <Bar
          entry={entry}
          calendar={calendar}
          text={text}
          hint={[message, effectText(entry)].filter(Boolean).join('\n')}
        />
      </td>
    </tr>
  );
}

type BarProps = { entry: Entry; calendar: Calendar; text?: string; hint?: string; isBand?: boolean };

/** A bar of a lane. A maintenance without an end fades out. The band of a site is behind the bars of its objects. */
function Bar({ entry, calendar, text = '', hint = '', isBand = false }: BarProps): JSX.Element {
  const { start, length } = spanOf(calendar, entry);
  const style = { insetInlineStart: percent(start), width: percent(length) };
  const kind = isBand ? classes.band : `${classes.bar} ${entry.in_effect ? classes.now : ''}`;
  const shape = `${kind} ${entry.end_at === null ? classes.endless : ''}`;
  if (isBand) return <div class={shape} style={style} title={say('calendar_site_too')} />;
  const until = entry.end_at === null ? '' : momentText(entry.end_at);
  return entry.template_id === null ? (
    <div class={shape} style={style} title={hint}>
      <span>{text}</span>
    </div>
  ) : (
    <a
      class={shape}
      style={style}
      href={addressOf(['maintenance_template', entry.template_id])}
      title={hint}
      aria-label={say('calendar_bar', { title: text, name: entry.object_name, until })}
    >
      <span>{text}</span>
    </a>
  );
}

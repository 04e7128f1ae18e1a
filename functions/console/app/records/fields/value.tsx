import type { ComponentChildren, JSX } from 'preact';
import { agoText, durationText, momentText, untilText } from '../../../../../shared/web/text/moments.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { addressOf } from '../../router/place.ts';
import { lazy } from '../../shell/lazy.tsx';
import { say } from '../../texts.ts';
import { type Field, kindOf, type Row, useKinds } from '../kinds.ts';
import { useNames } from '../references.ts';
import classes from './fields.module.css';
import { isEmpty, isObject, Pairs } from './pairs.tsx';
import { NameBadge } from './person-badges.tsx';

/** What is shown for null and for empty values. */
export const nothing = '–';

/** True also for an object whose members all have no value, such as a location that is not set. */
export const isNothing = (value: unknown): boolean =>
  isEmpty(value) || (isObject(value) && Object.values(value).every(isEmpty));

/** Values of states and what they mean, whatever the kind. */
const tones: Readonly<Record<string, MarkTone>> = {
  ...{ pass: 'good', online: 'good', running: 'good', success: 'good', ready: 'good', finished: 'good' },
  ...{
    active: 'good',
    visible: 'good',
    delivered: 'good',
    closed: 'none',
    info: 'none',
    acknowledged: 'none',
  },
  ...{
    fail: 'bad',
    offline: 'bad',
    failure: 'bad',
    error: 'bad',
    critical: 'bad',
    unauthorized: 'bad',
    dead: 'bad',
  },
  ...{
    failed: 'bad',
    open: 'bad',
    warning: 'warn',
    maintenance: 'warn',
    half_open: 'warn',
    restrained: 'warn',
  },
  ...{ disabled: 'off', inactive: 'off', stopped: 'off', hidden: 'off', unknown: 'none' },
};

/** Names of members that are states. */
const states = new Set(['state', 'status', 'result', 'level', 'circuit', 'machine_state']);

/** A circuit breaker lets calls through while it is closed. */
const toneOf = ({ name }: Field, value: string): MarkTone => {
  if (name === 'circuit') return value === 'closed' ? 'good' : 'bad';
  return tones[value] ?? 'none';
};

export const choiceText = ({ choices, all }: Field, value: unknown): string =>
  [...(choices ?? []), ...(all ? [all] : [])].find((choice) => choice.value === value)?.label ??
  String(value);

type ValueProps = {
  field: Field;
  value: unknown;
  /** The record, whose other members may name what this member refers to. */
  row?: Row;
  /** In one line, as in a table. */
  isShort?: boolean;
};

/** A value of a member, for reading. */
export function Value({ field, value, row = {}, isShort = false }: ValueProps): JSX.Element {
  if (isNothing(value)) return <span class={classes.nothing}>{nothing}</span>;
  if (field.all && value === field.all.value) return <>{field.all.label}</>;
  if (field.type === 'reference')
    return <References field={field} ids={[value].flat().map(String)} row={row} isShort={isShort} />;
  if (Array.isArray(value)) return <Many field={field} values={value} isShort={isShort} />;
  return <One field={field} value={value} />;
}

/** Values shown in a table. */
const mostShown = 3;

function Many({
  field,
  values,
  isShort,
}: {
  field: Field;
  values: unknown[];
  isShort: boolean;
}): JSX.Element {
  if (field.type === 'object' && isShort) return <>{countText(values.length)}</>;
  const shown = isShort ? values.slice(0, mostShown) : values;
  const more = values.length - shown.length;
  return (
    <ul class={`${classes.many} ${field.type === 'object' ? classes.blocks : ''}`}>
      {shown.map((value, at) => (
        <li key={at}>
          <One field={field} value={value} />
        </li>
      ))}
      {more > 0 && <li>{say('and_more', { more })}</li>}
    </ul>
  );
}

function One({ field, value }: { field: Field; value: unknown }): ComponentChildren {
  switch (field.type) {
    case 'flag':
      return <>{value === true || value === 'true' ? say('yes') : say('no')}</>;
    case 'choice':
      return states.has(field.name) ? (
        <Mark tone={toneOf(field, String(value))}>{choiceText(field, value)}</Mark>
      ) : (
        choiceText(field, value)
      );
    case 'integer':
    case 'number':
      return <>{numberText(field, Number(value))}</>;
    case 'time':
      return <Moment time={String(value)} />;
    case 'object':
      return field.fields?.length ? (
        <Parts fields={field.fields} value={value as Row} />
      ) : (
        <Pairs value={value} />
      );
    case 'json':
      return <Pairs value={value} />;
    case 'long_text':
      return <LongText text={String(value)} />;
    default:
      return <>{states.has(field.name) ? stateText(field, String(value)) : String(value)}</>;
  }
}

/** Certificates are counted: their text is long, and is for copying only. */
function LongText({ text }: { text: string }): JSX.Element {
  const count = text.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (count === 0) return <span class={classes.long}>{text}</span>;
  return (
    <details>
      <summary>{say('certificates_count', { count })}</summary>
      <code class={classes.json}>{text}</code>
    </details>
  );
}

const stateText = (field: Field, value: string): ComponentChildren =>
  tones[value] ? <Mark tone={toneOf(field, value)}>{value}</Mark> : value;

/** Names of members end with their unit. */
export function numberText({ name }: Field, value: number): string {
  if (name.endsWith('_s')) return durationText(value * 1_000);
  if (name.endsWith('_ms')) return say('milliseconds', { n: countText(value) });
  if (name.endsWith('_percent')) return say('percent', { percent: countText(Math.round(value)) });
  return countText(value);
}

const Moment = ({ time }: { time: string }): JSX.Element => (
  <time dateTime={time} title={momentText(time)}>
    {nearText(time, Date.now())}
  </time>
);

const dayMs = 86_400_000;

/** A time within a day of now is shown in relation to it. */
function nearText(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  if (Math.abs(distance) >= dayMs) return momentText(time);
  return distance > 0 ? untilText(time, now) : agoText(time, now);
}

const Parts = ({ fields, value }: { fields: readonly Field[]; value: Row }): JSX.Element => (
  <dl class={classes.parts}>
    {fields.map((field) => (
      <div key={field.name}>
        <dt>{field.label}</dt>
        <dd>
          <Value field={field} value={value[field.name]} row={value} />
        </dd>
      </div>
    ))}
  </dl>
);

type ReferencesProps = { field: Field; ids: readonly string[]; row: Row; isShort: boolean };

const PictureValue = lazy<{ ids: readonly string[]; isShort: boolean }>(
  async () => (await import('../../gallery/picture-value.tsx')).PictureValue,
);

/** Links to the referenced records. A record with the name beside the id needs no request. */
function References({ field, ids, row, isShort }: ReferencesProps): JSX.Element {
  if (field.reference === 'picture') return <PictureValue ids={ids} isShort={isShort} />;
  const own = row[field.name.replace(/_(?:id|uuid)$/, '_name')];
  const [id = ''] = ids;
  if (ids.length === 1 && typeof own === 'string') return <Link type={field.reference} id={id} name={own} />;
  return <ReadNames field={field} ids={ids} isShort={isShort} />;
}

function ReadNames({ field: { reference = '' }, ids, isShort }: Omit<ReferencesProps, 'row'>): JSX.Element {
  const shown = isShort ? ids.slice(0, mostShown) : ids;
  const names = useNames(reference, shown);
  const more = ids.length - shown.length;
  return (
    <ul class={classes.many}>
      {shown.map((id) => (
        <li key={id}>
          <Link type={reference} id={id} name={names.of(id)?.name ?? `${id.slice(0, 8)}…`} />
        </li>
      ))}
      {more > 0 && <li>{say('and_more', { more })}</li>}
    </ul>
  );
}

type LinkProps = { type: string | undefined; id: string; name: string };

/** The name of a record, with a link if the user may read its page. */
function Link({ type = '', id, name }: LinkProps): JSX.Element {
  const kind = kindOf(useKinds(), type);
  return (
    <>
      {kind?.get ? <a href={addressOf([type, id])}>{name}</a> : <span>{name}</span>}
      {type === 'user' && <NameBadge name={name} />}
    </>
  );
}

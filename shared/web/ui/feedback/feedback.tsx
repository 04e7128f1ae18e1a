import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from '../controls/icon.tsx';
import classes from './feedback.module.css';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

const icons: Record<Tone, IconName> = { info: 'info', good: 'check', warn: 'warning', bad: 'warning' };

type NoticeProps = {
  tone: Tone;
  title: string;
  children?: ComponentChildren;
  /** Buttons beside the text. */
  actions?: ComponentChildren;
  /** Read out as soon as it appears. */
  isAlert?: boolean;
};

/** A message within the page. */
export const Notice = ({ tone, title, children, actions, isAlert = false }: NoticeProps): JSX.Element => (
  <div class={`${classes.notice} ${classes[tone]}`} {...(isAlert && { role: 'alert' })}>
    <Icon name={icons[tone]} />
    <div class={classes.text}>
      <strong>{title}</strong>
      {children !== undefined && <div>{children}</div>}
    </div>
    {actions}
  </div>
);

/** A state in one or two words. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }): JSX.Element => (
  <span class={`${classes.badge} ${classes[tone]}`}>{children}</span>
);

/** The place of content that is not loaded yet. */
export const Skeleton = ({ height }: { height: string }): JSX.Element => (
  <div class={classes.skeleton} style={{ height }} aria-hidden="true" />
);

/** @param percent undefined if the progress is not known */
export const Progress = ({
  label,
  percent,
}: {
  label: string;
  percent?: number | undefined;
}): JSX.Element => (
  <div
    class={`${classes.progress} ${percent === undefined ? classes.endless : ''}`}
    role="progressbar"
    aria-label={label}
    {...(percent !== undefined && {
      'aria-valuenow': Math.round(percent),
      'aria-valuemin': 0,
      'aria-valuemax': 100,
    })}
  >
    <div style={{ width: `${percent ?? 30}%` }} />
  </div>
);

type EmptyProps = { icon: IconName; title: string; children?: ComponentChildren };

/** What a page shows instead of an empty list. */
export const Empty = ({ icon, title, children }: EmptyProps): JSX.Element => (
  <div class={classes.empty}>
    <Icon name={icon} />
    <h2>{title}</h2>
    {children !== undefined && <div>{children}</div>}
  </div>
);

import type { ComponentChildren, JSX } from 'preact';
import classes from './figures.module.css';

/** `off`: switched off; `none`: not known. */
export type MarkTone = 'good' | 'bad' | 'warn' | 'off' | 'none';

/** States differ in shape as well as in colour, for readers who do not distinguish the colours. */
const shapes: Record<MarkTone, string> = {
  good: 'M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0z',
  bad: 'M6 .5l6 11H0z',
  warn: 'M6 0l6 6-6 6-6-6z',
  off: 'M0 4.5h12v3H0z',
  none: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
};

/** A state as a shape with its text. */
export const Mark = ({ tone, children }: { tone: MarkTone; children: ComponentChildren }): JSX.Element => (
  <span class={`${classes.mark} ${classes[tone]}`} data-tone={tone}>
    <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={shapes[tone]} fill="currentColor" />
    </svg>
    <span>{children}</span>
  </span>
);

import type { ComponentChildren, JSX } from 'preact';
import classes from './figures.module.css';

type TileProps = {
  label: string;
  value: string;
  hint?: string | undefined;
  /** The value needs attention. */
  isBad?: boolean;
  /** A ring or a curve beside the value. */
  children?: ComponentChildren;
};

/** A figure of the installation, as an item of a list. */
export const Tile = ({ label, value, hint, isBad = false, children }: TileProps): JSX.Element => (
  <li class={`${classes.tile} ${isBad ? classes.alarm : ''}`}>
    <span class={classes.label}>{label}</span>
    <strong>{value}</strong>
    <span class={classes.drawing}>{children}</span>
    {hint !== undefined && <span class={classes.hint}>{hint}</span>}
  </li>
);

type MeterProps = { label: string; value: number; max: number; text: string; isBad?: boolean };

/** A part of a whole as a bar. A whole of 0 is an empty bar. */
export const Meter = ({ label, value, max, text, isBad = false }: MeterProps): JSX.Element => (
  <div class={`${classes.meter} ${isBad ? classes.bad : ''}`}>
    <span>
      {label}
      <b>{text}</b>
    </span>
    <div class={classes.track} aria-hidden="true">
      <div style={{ width: `${shareOf(value, max) * 100}%` }} />
    </div>
  </div>
);

const radius = 16;
const around = 2 * Math.PI * radius;

type RingProps = { label: string; value: number; max: number; isBad?: boolean };

/** A part of a whole as a ring of 40 pixels. */
export function Ring({ label, value, max, isBad = false }: RingProps): JSX.Element {
  const share = shareOf(value, max);
  const circle = { cx: 20, cy: 20, r: radius, 'stroke-width': 6 };
  return (
    <svg
      class={`${classes.ring} ${isBad ? classes.bad : ''}`}
      width="40"
      height="40"
      viewBox="0 0 40 40"
      role="img"
      aria-label={label}
    >
      <circle {...circle} class={classes.ground} />
      {share > 0 && (
        <circle
          {...circle}
          class={classes.part}
          stroke-dasharray={`${share * around} ${around}`}
          transform="rotate(-90 20 20)"
        />
      )}
    </svg>
  );
}

const width = 90;
const height = 36;
const margin = 3;

/** The course of a value as a line. A single value is a level line. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }): JSX.Element {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) =>
    high === low ? height / 2 : height - margin - ((height - 2 * margin) * (value - low)) / (high - low);
  const drawn = values.length === 1 ? [...values, ...values] : values;
  const x = (at: number) => margin + ((width - 2 * margin) * at) / (drawn.length - 1);
  return (
    <svg
      class={classes.spark}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <polyline points={drawn.map((value, at) => `${x(at)},${y(value)}`).join(' ')} />
    </svg>
  );
}

const shareOf = (value: number, max: number): number => (max > 0 ? Math.min(1, value / max) : 0);

import type { ComponentChildren, JSX } from 'preact';
import classes from '../records/form/form.module.css';
import type { InputProps } from '../records/form/input-props.ts';
import { say } from '../texts.ts';

type RankingFieldProps = Pick<InputProps, 'field' | 'place' | 'faults'> & { children: ComponentChildren };

/** The frame of an input whose value is a list in an order. Faults of its items are shown below it. */
export function RankingField({ field, place, faults, children }: RankingFieldProps): JSX.Element {
  const { label, help } = field;
  const texts = [...faults].filter(([at]) => at === place || at.startsWith(`${place}/`));
  return (
    <fieldset class={classes.object}>
      <legend>{label}</legend>
      {help !== undefined && <span class={classes.hint}>{help}</span>}
      <span class={classes.hint}>{say('ranking_hint')}</span>
      {children}
      {texts.map(([at, text]) => (
        <span key={at} class={classes.fault}>
          {text}
        </span>
      ))}
    </fieldset>
  );
}

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';
import { type StepName, stepAddress, stepNames } from '../use-setup.ts';

type StepFormProps = {
  step: StepName;
  title: string;
  hint?: string;
  children?: ComponentChildren;
  /** Text of the main button. Default: to the next step. */
  next?: string;
  isBusy?: boolean;
  /** The step cannot be left forwards. */
  isBlocked?: boolean;
  /** Buttons before the main one. */
  actions?: ComponentChildren;
  onNext: () => void;
};

/** The frame of a step. The Enter key leads on; the first input, or one with a fault, has the focus. */
export function StepForm(props: StepFormProps): JSX.Element {
  const { step, title, hint, children, next = say('setup_next'), isBusy = false, isBlocked = false } = props;
  const form = useRef<HTMLFormElement>(null);
  const before = stepNames[stepNames.indexOf(step) - 1];
  useFirstFocus(form);
  return (
    <form
      ref={form}
      class={classes.step}
      noValidate={true}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBlocked) props.onNext();
      }}
    >
      <div>
        <h2>{title}</h2>
        {hint !== undefined && <p class={classes.quiet}>{hint}</p>}
      </div>
      {children}
      <div class={classes.bar}>
        {before && (
          <LinkButton look="plain" href={stepAddress(before)}>
            {say('setup_back')}
          </LinkButton>
        )}
        {props.actions}
        <Button type="submit" busy={isBusy} disabled={isBlocked}>
          {next}
        </Button>
      </div>
    </form>
  );
}

function useFirstFocus(form: { current: HTMLFormElement | null }): void {
  useEffect(() => {
    // The page moves the focus to its content when a place is opened.
    queueMicrotask(() => {
      const place = form.current;
      const first =
        place?.querySelector<HTMLElement>('[aria-invalid]') ??
        place?.querySelector<HTMLElement>('input:checked, input:not([type="radio"]), textarea') ??
        place?.querySelector<HTMLElement>('[type="submit"]:not(:disabled)');
      first?.focus();
    });
  }, []);
}

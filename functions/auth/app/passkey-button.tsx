import type { JSX } from 'preact';
import { useRequest } from '../../../shared/web/problems/use-request.ts';
import { Button } from '../../../shared/web/ui/controls/button.tsx';
import type { Outcome } from './flow.ts';
import type { MethodProps } from './methods/method.ts';
import { Refusal } from './refusal.tsx';
import classes from './signin.module.css';

type PasskeyButtonProps = MethodProps & {
  label: string;
  look?: 'main' | 'plain';
  /** @throws PortalError */
  work: () => Promise<Outcome>;
};

/** A button that asks for a passkey, with the reason if it was not accepted. */
export function PasskeyButton({
  label,
  look = 'plain',
  work,
  onOutcome,
  isLeaving,
}: PasskeyButtonProps): JSX.Element {
  const { problem, isBusy, run } = useRequest();
  const use = () => void run(async () => onOutcome(await work()));
  return (
    <div class={classes.form}>
      {problem && <Refusal problem={problem} about="passkey" />}
      <Button {...{ look, icon: 'key', busy: isBusy || isLeaving }} onClick={use}>
        {label}
      </Button>
    </div>
  );
}

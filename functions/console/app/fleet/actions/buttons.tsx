import type { JSX } from 'preact';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import type { Kind } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import type { FleetAction, Target } from './fleet-actions.ts';
import type { Order } from './requests.ts';
import type { Run } from './use-run.ts';

type ButtonsProps = {
  kind: Kind;
  action: FleetAction;
  run: Run;
  orders: readonly Order[];
  started: readonly Target[];
  /** Something will be done, and all entries are there. */
  isReady: boolean;
  onLeave: () => void;
  onPerform: () => void;
  onRetry: () => void;
};

/** The buttons of the dialog of an action. */
export function Buttons(props: ButtonsProps): JSX.Element {
  switch (props.run.state) {
    case 'waiting':
      return <Asking {...props} />;
    case 'ended':
      return <Ended {...props} />;
    default:
      return (
        <Button look="plain" busy={props.run.state === 'stopping'} onClick={props.onLeave}>
          {say('fleet_stop')}
        </Button>
      );
  }
}

function Asking({ action, orders, isReady, onLeave, onPerform }: ButtonsProps): JSX.Element {
  const count = orders.reduce((sum, { targets }) => sum + targets.length, 0);
  const label = say(`fleet_do_${action.name}`);
  return (
    <>
      {isReady && <CopyCommand command={() => orders.map(({ sending }) => curlOf(sending)).join('\n\n')} />}
      <Button look="plain" onClick={onLeave}>
        {say('cancel')}
      </Button>
      <Button look={action.isDangerous ? 'danger' : 'main'} disabled={!isReady} onClick={onPerform}>
        {count > 1 ? say('fleet_perform', { action: label, count }) : label}
      </Button>
    </>
  );
}

function Ended({ run, started, onLeave, onRetry }: ButtonsProps): JSX.Element {
  const left = started.filter(({ key }) => {
    const outcome = run.outcomes.get(key);
    return outcome === undefined || outcome.problem !== undefined;
  });
  return (
    <>
      {left.length > 0 && (
        <Button look="plain" onClick={onRetry}>
          {say('fleet_retry', { count: left.length })}
        </Button>
      )}
      <Button onClick={onLeave}>{say('close')}</Button>
    </>
  );
}

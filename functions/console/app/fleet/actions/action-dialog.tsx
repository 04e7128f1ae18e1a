import type { JSX } from 'preact';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { say } from '../../texts.ts';
import { Asking } from './asking.tsx';
import { Buttons } from './buttons.tsx';
import { Progressing } from './progressing.tsx';
import { type ActionDialogProps, useAction } from './use-action.ts';

/** Says what an action will do before it is performed, and then how far it has come. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const { kind, action, onClose, onDone } = props;
  const { started, run, perform, retry, ...asked } = useAction(props);
  const leave = () => {
    if (run.state === 'waiting') onClose();
    else if (run.state === 'ended') onDone();
    else run.stop();
  };
  return (
    <Dialog
      title={titleOf(props)}
      onClose={leave}
      actions={
        <Buttons
          {...{ kind, action, run, started }}
          orders={asked.orders}
          isReady={asked.isReady}
          onLeave={leave}
          onPerform={() => void perform()}
          onRetry={() => void retry()}
        />
      }
    >
      {run.state === 'waiting' ? (
        <Asking kind={kind} action={action} asked={asked} />
      ) : (
        <Progressing action={action} targets={started} run={run} />
      )}
    </Dialog>
  );
}

const titleOf = ({ action, targets }: ActionDialogProps): string => {
  const [first] = targets;
  const what = targets.length === 1 && first ? first.name : say('fleet_records', { count: targets.length });
  return say('fleet_title', { action: say(`fleet_do_${action.name}`), what });
};

import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from './parts.module.css';

export type Confirmation = {
  title: string;
  text: string;
  /** Of the button. */
  label: string;
  sending: Sending;
  /** Message after success. */
  done: string;
  /** Types of records that are read again. */
  changes: readonly string[];
  isDangerous?: boolean;
};

/** Milliseconds for a request. Directories can answer slowly. */
const limitMs = 30_000;

type ConfirmDialogProps = Confirmation & {
  onClose: () => void;
  /** After success, once the dialog has closed. */
  onDone?: () => void;
  children?: ComponentChildren;
};

/** Asks before an action, says what it does, and tries it on request. */
export function ConfirmDialog({ onClose, onDone, children, ...action }: ConfirmDialogProps): JSX.Element {
  const state = useConfirmation(action, () => {
    onClose();
    onDone?.();
  });
  return (
    <Dialog
      title={action.title}
      onClose={onClose}
      actions={<Buttons action={action} state={state} onCancel={onClose} />}
    >
      <p>{action.text}</p>
      {children}
      <Outcome state={state} />
    </Dialog>
  );
}

type ConfirmInlineProps = { action: Confirmation; onCancel: () => void; onDone: () => void };

/** The same within a dialog that is open already. */
export function ConfirmInline({ action, onCancel, onDone }: ConfirmInlineProps): JSX.Element {
  const state = useConfirmation(action, onDone);
  return (
    <section class={classes.card}>
      <h3>{action.title}</h3>
      <p>{action.text}</p>
      <Outcome state={state} />
      <div class={classes.buttons}>
        <Buttons action={action} state={state} onCancel={onCancel} />
      </div>
    </section>
  );
}

type State = ReturnType<typeof useConfirmation>;

const Outcome = ({ state: { problem, hasTried } }: { state: State }): JSX.Element => (
  <>
    {hasTried && !problem && <Notice tone="good" title={say('access_would_happen')} isAlert={true} />}
    {problem && <ProblemNotice problem={problem} />}
  </>
);

type ButtonsProps = { action: Confirmation; state: State; onCancel: () => void };

const Buttons = ({ action, state, onCancel }: ButtonsProps): JSX.Element => (
  <>
    <CopyCommand command={() => curlOf(action.sending)} />
    <Button look="plain" onClick={onCancel}>
      {say('cancel')}
    </Button>
    <Button look="plain" busy={state.isBusy} onClick={state.tryFirst}>
      {say('try_first')}
    </Button>
    <Button look={action.isDangerous ? 'danger' : 'main'} busy={state.isBusy} onClick={state.act}>
      {action.label}
    </Button>
  </>
);

function useConfirmation(action: Confirmation, onClose: () => void) {
  const { problem, isBusy, run } = useRequest();
  const [hasTried, setTried] = useState(false);
  const act = useAction(action, onClose);
  const { sending } = action;
  const send = (headers: Record<string, string> = {}) =>
    sendRequest({
      ...sending,
      headers: { ...sending.headers, ...headers },
      signal: AbortSignal.timeout(limitMs),
    });
  const tryFirst = () =>
    run(async () => {
      setTried(false);
      await send({ 'x-dry-run': 'true' });
      setTried(true);
    });
  return { problem, isBusy, hasTried, tryFirst, act: () => run(() => act(send)) };
}

/** The action, and what follows its success. */
function useAction({ done, changes }: Confirmation, onClose: () => void) {
  const client = useQueryClient();
  return async (send: () => Promise<unknown>): Promise<void> => {
    await send();
    toast(done);
    onClose();
    await Promise.all([
      client.invalidateQueries({ queryKey: ['access'] }),
      ...changes.map((type) => forgetKind(client, type)),
    ]);
  };
}

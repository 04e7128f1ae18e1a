import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { type Issued, issuedIn } from '../../records/form/issued.ts';
import { IssuedDialog } from '../../records/form/issued-dialog.tsx';
import { allowed, type Row, titleOf } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { EffectOf } from '../../records/record/effect.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import {
  curlOf,
  type Effect,
  type RecordState,
  type Target,
  tryWrite,
  write,
  writeOf,
} from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { changesIn, type GatewayChange, writeFor } from './changes.ts';
import { tunnelsOf } from './gateway-parts.tsx';

type ActionsProps = { target: Target; state: RecordState };

/** Takes a gateway out of service and back, and replaces its token. */
export function GatewayActions({ target, state }: ActionsProps): JSX.Element | null {
  const [change, setChange] = useState<GatewayChange>();
  const [issued, setIssued] = useState<Issued[]>();
  if (!allowed(target.kind.update)) return null;
  const { enabled, maintenance } = state.row;
  return (
    <>
      {changesIn({ enabled, maintenance }).map((one) => (
        <Button key={one} look={one === 'disable' ? 'danger' : 'plain'} onClick={() => setChange(one)}>
          {say(`gateway_${one}`)}
        </Button>
      ))}
      {change && (
        <ChangeDialog
          target={target}
          state={state}
          change={change}
          onIssued={setIssued}
          onClose={() => setChange(undefined)}
        />
      )}
      {issued && <IssuedDialog secrets={issued} onClose={() => setIssued(undefined)} />}
    </>
  );
}

type ChangeDialogProps = ActionsProps & {
  change: GatewayChange;
  onIssued: (secrets: Issued[]) => void;
  onClose: () => void;
};

/** Says what the change does to open tunnels before it is made. */
function ChangeDialog(props: ChangeDialogProps): JSX.Element {
  const { target, state, change, onClose } = props;
  const { what, problem, isBusy, effect, tryFirst, save } = useChange(props);
  const isDanger = change === 'rotate' || change === 'disable';
  return (
    <Dialog
      title={say('gateway_title', {
        change: say(`gateway_${change}`),
        name: titleOf(target.kind, state.row),
      })}
      onClose={onClose}
      actions={
        <>
          <CopyCommand command={() => curlOf(writeOf(what))} />
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="plain" busy={isBusy} onClick={tryFirst}>
            {say('try_first')}
          </Button>
          <Button look={isDanger ? 'danger' : 'main'} busy={isBusy} onClick={save}>
            {say(`gateway_${change}`)}
          </Button>
        </>
      }
    >
      <p>{say(`gateway_${change}_text`, { count: tunnelsOf(state.row) })}</p>
      {problem && <ProblemNotice problem={problem} />}
      {effect && <EffectOf kind={target.kind} effect={effect} />}
    </Dialog>
  );
}

function useChange({ target, state, change, onIssued, onClose }: ChangeDialogProps) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [effect, setEffect] = useState<Effect>();
  const what = writeFor(target, state.etag, change);
  return {
    ...{ what, problem, isBusy, effect },
    tryFirst: () => run(async () => setEffect(await tryWrite(what))),
    save: () =>
      run(async () => {
        const { body } = await write(what);
        const secrets = issuedIn(target.kind, body as Row);
        onClose();
        if (secrets.length > 0) onIssued(secrets);
        else toast(say('saved', { name: titleOf(target.kind, state.row) }));
        await forgetKind(client, target.kind.type);
      }),
  };
}

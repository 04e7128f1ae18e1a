import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { type Issued, issuedIn } from '../records/form/issued.ts';
import { IssuedDialog } from '../records/form/issued-dialog.tsx';
import type { Kind, Row, Verb } from '../records/kinds.ts';
import { CopyCommand } from '../records/record/copy-command.tsx';
import { EffectOf } from '../records/record/effect.tsx';
import { forgetKind } from '../records/record/use-record.ts';
import { curlOf, type Effect, tryWrite, type Write, write, writeOf } from '../records/requests.ts';
import { say } from '../texts.ts';

type VerbDialogProps = {
  kind: Kind;
  verb: Verb;
  /** Values of the parameters of the path. */
  path: Readonly<Record<string, string>>;
  etag?: string | undefined;
  title: string;
  /** What will happen. */
  text: string;
  /** Said when it has happened. */
  done: (answer: Row) => string;
  onClose: () => void;
};

/** Asks before an operation on a webhook, and shows what it would change. A secret of the answer is shown once. */
export function VerbDialog(props: VerbDialogProps): JSX.Element {
  const { kind, verb, title, text, onClose } = props;
  const { what, problem, isBusy, effect, issued, attempt, send } = useVerb(props);
  if (issued.length > 0) return <IssuedDialog secrets={issued} onClose={onClose} />;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <CopyCommand command={() => curlOf(writeOf(what))} />
          {verb.canTry && (
            <Button look="plain" onClick={attempt}>
              {say('try_first')}
            </Button>
          )}
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button busy={isBusy} onClick={send}>
            {verb.label}
          </Button>
        </>
      }
    >
      {problem ? <ProblemNotice problem={problem} /> : <p>{text}</p>}
      {effect && <EffectOf kind={kind} effect={effect} />}
    </Dialog>
  );
}

function useVerb({ kind, verb, path, etag, done, onClose }: VerbDialogProps) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [effect, setEffect] = useState<Effect>();
  const [issued, setIssued] = useState<Issued[]>([]);
  const what: Write = { verb, path, etag };
  const attempt = () => run(async () => setEffect(await tryWrite(what)));
  const send = () =>
    run(async () => {
      const body = (await write(what)).body as Row;
      const secrets = issuedIn(kind, body);
      toast(done(body));
      void forgetKind(client, kind.type);
      void client.invalidateQueries({ queryKey: ['deliveries', kind.type] });
      if (secrets.length > 0) setIssued(secrets);
      else onClose();
    });
  return { what, problem, isBusy, effect, issued, attempt, send };
}

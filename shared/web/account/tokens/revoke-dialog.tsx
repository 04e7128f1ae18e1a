import type { JSX } from 'preact';
import { portal } from '../../client/session.ts';
import { ProblemNotice } from '../../problems/problem-notice.tsx';
import { useRequest } from '../../problems/use-request.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toasts.tsx';
import { say } from '../texts.ts';

type RevokeDialogProps = {
  token: { id: string; name: string };
  onClose: () => void;
  onRevoked: () => Promise<void>;
};

/** Asks before a token is deleted, because programs that use it stop working. */
export function RevokeDialog({ token: { id, name }, onClose, onRevoked }: RevokeDialogProps): JSX.Element {
  const { problem, isBusy, run } = useRequest();
  const revoke = () =>
    run(async () => {
      await portal.call('userinfo.revokeServiceToken', { path: { id } });
      toast(say('token_revoked', { name }));
      onClose();
      await onRevoked();
    });
  return (
    <Dialog
      title={say('token_revoke_title', { name })}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="danger" busy={isBusy} onClick={revoke}>
            {say('token_revoke')}
          </Button>
        </>
      }
    >
      <p>{say('token_revoke_text')}</p>
      {problem && <ProblemNotice problem={problem} about="token" />}
    </Dialog>
  );
}

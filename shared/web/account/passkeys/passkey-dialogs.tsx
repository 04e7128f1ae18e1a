import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../client/session.ts';
import { ProblemNotice } from '../../problems/problem-notice.tsx';
import { useRequest } from '../../problems/use-request.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toasts.tsx';
import classes from '../account.module.css';
import { say } from '../texts.ts';
import type { Profile } from '../use-profile.ts';
import { NameField } from './new-passkey.tsx';
import type { Passkey } from './passkey.ts';
import { type Proof, ProofForm } from './proof-form.tsx';

type DialogProps = { passkey: Passkey; onClose: () => void; onChanged: () => Promise<void> };

export function RenameDialog({ passkey: { id, name }, onClose, onChanged }: DialogProps): JSX.Element {
  const [newName, setName] = useState(name);
  const { problem, isBusy, run } = useRequest();
  const rename = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await portal.call('passkey.update', { path: { id }, body: { name: newName } });
      onClose();
      await onChanged();
    });
  };
  return (
    <Dialog title={say('passkey_rename_title', { name })} onClose={onClose}>
      <form class={classes.form} onSubmit={rename}>
        <NameField value={newName} onValue={setName} />
        {problem && <ProblemNotice problem={problem} />}
        <div class={classes.buttons}>
          <Button type="submit" busy={isBusy}>
            {say('passkey_rename')}
          </Button>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type RemoveProps = DialogProps & { twoFactor: Profile['two_factor'] };

/** Confirms the identity before a passkey is deleted, because the account may lose its second factor. */
export function RemoveDialog({ passkey, twoFactor, onClose, onChanged }: RemoveProps): JSX.Element {
  const { id, name } = passkey;
  const remove = async (proof: Proof) => {
    await portal.call('passkey.delete', { path: { id }, body: proof });
    toast(say('passkey_removed', { name }));
    onClose();
    await onChanged();
  };
  return (
    <Dialog title={say('passkey_remove_title', { name })} onClose={onClose}>
      <ProofForm
        {...{ twoFactor, work: remove, onCancel: onClose, label: say('passkey_remove'), look: 'danger' }}
      >
        <p>{say('passkey_remove_text')}</p>
      </ProofForm>
    </Dialog>
  );
}

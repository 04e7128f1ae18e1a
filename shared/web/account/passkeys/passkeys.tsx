import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../client/session.ts';
import { RecoveryCodes } from '../../credentials/recovery-codes.tsx';
import { problemOf } from '../../problems/problem.ts';
import { ProblemNotice } from '../../problems/problem-notice.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Notice, Skeleton } from '../../ui/feedback/feedback.tsx';
import { toast } from '../../ui/overlays/toasts.tsx';
import classes from '../account.module.css';
import { say } from '../texts.ts';
import { type Profile, renewProfile } from '../use-profile.ts';
import { NewPasskey } from './new-passkey.tsx';
import type { Passkey } from './passkey.ts';
import { RemoveDialog, RenameDialog } from './passkey-dialogs.tsx';
import { PasskeyRow } from './passkey-row.tsx';

const key = ['own', 'passkey'];

/** A user has at most 20. */
const usePasskeys = () =>
  useQuery({
    queryKey: key,
    queryFn: () => portal.call('passkey.list', { query: { limit: 50, sort: 'created_at' } }),
  });

type Shown =
  | { part: 'list' }
  | { part: 'form' }
  | { part: 'codes'; codes: readonly string[] }
  | { part: 'rename' | 'remove'; passkey: Passkey };

/** The passkeys of the user. Each can be renamed and deleted. */
export function Passkeys({ profile }: { profile: Profile }): JSX.Element {
  const client = useQueryClient();
  const [shown, show] = useState<Shown>({ part: 'list' });
  const showList = () => show({ part: 'list' });
  const refresh = async () => {
    await Promise.all([client.invalidateQueries({ queryKey: key }), renewProfile(client)]);
  };
  const onCreated = (codes: readonly string[] | undefined) => {
    toast(say('passkey_added'));
    if (codes) show({ part: 'codes', codes });
    else showList();
    void refresh();
  };
  const twoFactor = profile.two_factor;
  const close = { onClose: showList, onChanged: refresh };
  return (
    <>
      <p class={classes.quiet}>{say('passkeys_text')}</p>
      {shown.part === 'codes' && <Codes codes={shown.codes} onDone={showList} />}
      <PasskeyList onChoose={(part, passkey) => show({ part, passkey })} />
      {shown.part === 'form' && <NewPasskey {...{ twoFactor, onCreated, onCancel: showList }} />}
      {shown.part === 'list' && (
        <div>
          <Button onClick={() => show({ part: 'form' })}>{say('passkey_new')}</Button>
        </div>
      )}
      {shown.part === 'rename' && <RenameDialog passkey={shown.passkey} {...close} />}
      {shown.part === 'remove' && <RemoveDialog passkey={shown.passkey} {...{ ...close, twoFactor }} />}
    </>
  );
}

type ListProps = { onChoose: (part: 'rename' | 'remove', passkey: Passkey) => void };

function PasskeyList({ onChoose }: ListProps): JSX.Element | null {
  const { data, error } = usePasskeys();
  if (error && !data) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="4rem" />;
  if (data.items.length === 0) return null;
  return (
    <ul class={classes.list}>
      {data.items.map((passkey) => (
        <PasskeyRow
          key={passkey.id}
          passkey={passkey}
          onRename={() => onChoose('rename', passkey)}
          onRemove={() => onChoose('remove', passkey)}
        />
      ))}
    </ul>
  );
}

const Codes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): JSX.Element => (
  <>
    <Notice tone="warn" title={say('two_factor_save_title')}>
      {say('two_factor_save_text')}
    </Notice>
    <RecoveryCodes codes={codes} onDone={onDone} />
  </>
);

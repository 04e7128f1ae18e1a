import type { JSX } from 'preact';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { may } from '../../facts.ts';
import type { Extension } from '../../records/extension.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { TestCard } from '../connection/test-card.tsx';
import { AccountHold } from './account-hold.tsx';

type PartsProps = { target: Target; state: RecordState };

function Parts({ target, state }: PartsProps): JSX.Element | null {
  const { account_hold: hold } = state.row as Operations['dispatcher.get']['answer'];
  if (!may(['dispatchers.update'])) return null;
  return (
    <>
      {hold && <AccountHold target={target} hold={hold} />}
      <TestCard id={target.id} title={say('setup_connection')} />
    </>
  );
}

export const dispatcher: Extension = { RecordParts: Parts };

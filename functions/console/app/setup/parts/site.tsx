import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { may } from '../../facts.ts';
import type { Extension } from '../../records/extension.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { maySetUp, setupAddress } from '../entry.ts';
import { mayReadState } from '../site-state.ts';
import { DrainDialog } from './drain-dialog.tsx';
import { SiteOverview } from './site-overview.tsx';

type RecordProps = { target: Target; state: RecordState };

/** Starts or ends the maintenance of the site. */
function Actions({ target, state }: RecordProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (!may(['sites.update'])) return null;
  return (
    <>
      <Button look="plain" onClick={() => setOpen(true)}>
        {say(state.row.maintenance === true ? 'setup_undrain' : 'setup_drain')}
      </Button>
      {isOpen && <DrainDialog target={target} state={state} onClose={() => setOpen(false)} />}
    </>
  );
}

const Parts = ({ target: { id } }: RecordProps): JSX.Element | null =>
  mayReadState() ? <SiteOverview id={id} /> : null;

const ListActions = (): JSX.Element | null =>
  maySetUp() ? <LinkButton href={setupAddress}>{say('setup_title')}</LinkButton> : null;

export const site: Extension = { RecordActions: Actions, RecordParts: Parts, ListActions };

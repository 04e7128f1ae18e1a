import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import { say } from '../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../parts/confirm-dialog.tsx';
import classes from '../parts/parts.module.css';

type OtherDirectoryProps = { id: string; present: string; shown: string };

/** The servers of the domain show another directory, which an administrator can accept. */
export function OtherDirectory({ id, present, shown }: OtherDirectoryProps): JSX.Element {
  const [asked, ask] = useState<Confirmation>();
  return (
    <section class={classes.card}>
      <Notice tone="bad" title={say('access_directory_other')} />
      <p>{say('access_directory_other_text', { present, shown })}</p>
      {may(['authenticators.update']) && (
        <Button onClick={() => ask(accepting(id, shown))}>{say('access_directory_accept')}</Button>
      )}
      {asked && <ConfirmDialog {...asked} onClose={() => ask(undefined)} />}
    </section>
  );
}

const accepting = (uuid: string, authority: string): Confirmation => ({
  title: say('access_directory_accept_title'),
  text: say('access_directory_accept_text'),
  label: say('access_directory_accept'),
  sending: {
    method: 'POST',
    path: filledPath('/api/webui/aggregator/authenticators/{uuid}/accept_directory', { uuid }),
    body: { authority },
  },
  done: say('access_directory_accepted'),
  changes: ['authenticator'],
  isDangerous: true,
});

import type { JSX } from 'preact';
import { frameText } from '../../../../../shared/web/text/texts.ts';
import { Button, IconButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field } from '../../../../../shared/web/ui/controls/field.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../../texts.ts';
import type { Issued } from './issued.ts';

type IssuedDialogProps = { secrets: readonly Issued[]; onClose: () => void };

/** Secrets that are shown once. */
export const IssuedDialog = ({ secrets, onClose }: IssuedDialogProps): JSX.Element => (
  <Dialog
    title={say('issued_title')}
    onClose={onClose}
    actions={<Button onClick={onClose}>{say('issued_kept')}</Button>}
  >
    <Notice tone="warn" title={say('issued_once')} />
    {secrets.map(({ label, value }) => (
      <Field
        key={label}
        label={label}
        readOnly={true}
        value={value}
        end={
          <IconButton
            icon="copy"
            label={frameText('copy')}
            onClick={() => navigator.clipboard.writeText(value).then(() => toast(frameText('copied')))}
          />
        }
      />
    ))}
  </Dialog>
);

import type { JSX } from 'preact';
import { frameText } from '../../../../../shared/web/text/texts.ts';
import { IconButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../../texts.ts';
import classes from './connection.module.css';

type CopyableProps = { label: string; value: string; isCode?: boolean };

/** A value that is entered elsewhere, with a button that copies it. */
export const Copyable = ({ label, value, isCode = false }: CopyableProps): JSX.Element => (
  <div class={classes.copyable}>
    <span class={classes.label}>{label}</span>
    <span class={isCode ? classes.code : classes.value}>{value}</span>
    <IconButton
      icon="copy"
      label={`${frameText('copy')}: ${label}`}
      onClick={() =>
        navigator.clipboard.writeText(value).then(
          () => toast(frameText('copied')),
          () => toast(say('not_copied'), { isFault: true }),
        )
      }
    />
  </div>
);

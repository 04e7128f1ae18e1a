import type { JSX } from 'preact';
import { IconButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../../texts.ts';

/** Copies a request as a command line. */
export const CopyCommand = ({ command }: { command: () => string }): JSX.Element => (
  <IconButton
    icon="command"
    label={say('copy_command')}
    onClick={() =>
      navigator.clipboard.writeText(command()).then(
        () => toast(say('command_copied')),
        () => toast(say('not_copied'), { isFault: true }),
      )
    }
  />
);

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { toast } from '../ui/overlays/toasts.tsx';
import { Row, Section } from './section.tsx';

/** What is shown above the page. */
export function Overlays(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section name="overlays">
      <Row>
        <Button look="plain" onClick={() => setOpen(true)}>
          Dialog
        </Button>
        <SampleMenu />
        <Button look="plain" onClick={() => toast(frameText('copied'))}>
          Toast
        </Button>
        <Button look="plain" onClick={() => toast(frameText('unreachable'), { isFault: true })}>
          Fault
        </Button>
      </Row>
      {isOpen && <SampleDialog onClose={() => setOpen(false)} />}
    </Section>
  );
}

const SampleMenu = (): JSX.Element => (
  <Menu
    trigger={(attributes) => (
      <Button look="plain" {...attributes}>
        Menu
      </Button>
    )}
  >
    <Button look="quiet" icon="language">
      {frameText('scheme_dark')}
    </Button>
    <Button look="quiet" icon="leave">
      {frameText('sign_out')}
    </Button>
  </Menu>
);

const SampleDialog = ({ onClose }: { onClose: () => void }): JSX.Element => (
  <Dialog
    title={frameText('ended_title')}
    onClose={onClose}
    actions={
      <>
        <Button look="plain" onClick={onClose}>
          {frameText('cancel')}
        </Button>
        <Button onClick={onClose}>{frameText('sign_in_again')}</Button>
      </>
    }
  >
    <p>{frameText('ended_text')}</p>
  </Dialog>
);

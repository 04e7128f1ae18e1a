import { Fragment, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chooseShortcuts, hasShortcuts } from '../../../../shared/web/keys/shortcuts.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../shared/web/ui/overlays/dialog.tsx';
import { Switch } from '../records/form/inputs/switch.tsx';
import { type Kind, useKinds } from '../records/kinds.ts';
import { type ConsoleText, say } from '../texts.ts';
import { isApple, pageKeys } from './keys.ts';
import classes from './palette.module.css';

type Group = { title: string; keys: (readonly [keys: readonly string[], text: string])[] };

const group = (title: ConsoleText, keys: (readonly [readonly string[], ConsoleText])[]): Group => ({
  title: say(title),
  keys: keys.map(([pressed, text]) => [pressed, say(text)]),
});

const groupsOf = (kinds: readonly Kind[]): Group[] => [
  group('keys_everywhere', [
    [[isApple ? '⌘' : 'Ctrl', 'K'], 'palette_title'],
    [['?'], 'palette_shortcuts'],
    [['/'], 'keys_search'],
    [['c'], 'keys_create'],
    [['e'], 'keys_edit'],
  ]),
  group('keys_table', [
    [['j', 'k'], 'keys_move'],
    [['Enter'], 'keys_open'],
    [['x'], 'keys_select'],
  ]),
  {
    title: say('keys_pages'),
    keys: pageKeys(kinds).map(({ letter, text }) => [['g', letter], text] as const),
  },
];

/** All shortcuts, and the switch for those of a single key. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const kinds = useKinds() ?? [];
  const [isOn, setOn] = useState(hasShortcuts);
  const change = (next: boolean) => {
    chooseShortcuts(next);
    setOn(next);
  };
  return (
    <Dialog
      title={say('palette_shortcuts')}
      onClose={onClose}
      actions={<Button onClick={onClose}>{say('close')}</Button>}
    >
      <Switch label={say('keys_on')} hint={say('keys_on_hint')} isOn={isOn} onChange={change} />
      {groupsOf(kinds).map(({ title, keys }) => (
        <section key={title}>
          <h3 class={classes.group}>{title}</h3>
          <Keys keys={keys} />
        </section>
      ))}
    </Dialog>
  );
}

const Keys = ({ keys }: Pick<Group, 'keys'>): JSX.Element => (
  <dl class={classes.shortcuts}>
    {keys.map(([pressed, text]) => (
      <Fragment key={text}>
        <dt>
          {pressed.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dt>
        <dd>{text}</dd>
      </Fragment>
    ))}
  </dl>
);

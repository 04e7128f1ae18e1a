import type { JSX } from 'preact';
import { Frame } from '../../../shared/web/frame/frame.tsx';
import { Button } from '../../../shared/web/ui/controls/button.tsx';
import { Icon } from '../../../shared/web/ui/controls/icon.tsx';
import { accountAddress } from './account/entry.ts';
import { facts } from './facts.ts';
import { useLive } from './live/use-live.ts';
import { showShortcuts } from './palette/keys.ts';
import { SearchButton } from './palette/search-button.tsx';
import { useKinds } from './records/kinds.ts';
import { Screen } from './shell/screen.tsx';
import classes from './shell/shell.module.css';
import { SideBar } from './shell/side-bar.tsx';
import { say } from './texts.ts';

const first = '/console/';
const reference = '/api/docs/';

/** The frame of all pages of the console. */
export function ConsolePage(): JSX.Element {
  const kinds = useKinds();
  useLive();
  return (
    <Frame facts={facts} home={first} isWide={true} menu={<OwnPages />} tools={<SearchButton />}>
      <div class={classes.shell}>
        <SideBar kinds={kinds} />
        <div class={classes.content}>
          <Screen kinds={kinds} />
        </div>
      </div>
    </Frame>
  );
}

/** Links in the menu of the user. */
const OwnPages = (): JSX.Element => (
  <>
    <a href={accountAddress}>
      <Icon name="user" />
      {say('account')}
    </a>
    <a href={reference}>
      <Icon name="reference" />
      {say('reference')}
    </a>
    <Button look="quiet" icon="keyboard" onClick={() => dispatchEvent(new Event(showShortcuts))}>
      {say('palette_shortcuts')}
    </Button>
    {facts.has_home && (
      <a href="/home/">
        <Icon name="screen" />
        {say('own_workplaces')}
      </a>
    )}
  </>
);

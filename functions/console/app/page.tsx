import type { JSX } from 'preact';
import { Frame } from '../../../shared/web/frame/frame.tsx';
import { Navigation } from '../../../shared/web/frame/navigation.tsx';
import { Icon } from '../../../shared/web/ui/controls/icon.tsx';
import { facts } from './facts.ts';
import { Overview } from './overview/overview.tsx';
import { say } from './texts.ts';

const first = '/console/';
const reference = '/api/docs/';

/** The frame of all pages of the console. */
export const ConsolePage = (): JSX.Element => (
  <Frame
    facts={facts}
    home={first}
    isWide={true}
    navigation={
      <Navigation
        label={say('navigation')}
        items={[
          { href: first, text: say('overview'), isCurrent: true },
          { href: reference, text: say('reference'), isCurrent: false },
        ]}
      />
    }
    menu={<OwnPages />}
  >
    <Overview />
  </Frame>
);

/** Links in the menu of the user. */
const OwnPages = (): JSX.Element => (
  <>
    <a href={first}>
      <Icon name="overview" />
      {say('overview')}
    </a>
    <a href={reference}>
      <Icon name="reference" />
      {say('reference')}
    </a>
    {facts.has_home && (
      <a href="/home/">
        <Icon name="screen" />
        {say('own_workplaces')}
      </a>
    )}
  </>
);

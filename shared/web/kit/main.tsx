import '../styles/frame.css';
import '../styles/page.css';
import { render } from 'preact';
import { factsOf, type PageFacts } from '../client/facts.ts';
import { Frame } from '../frame/frame.tsx';
import { Navigation } from '../frame/navigation.tsx';
import { frameText } from '../text/texts.ts';
import { Controls } from './controls.tsx';
import { Feedback } from './feedback.tsx';
import { Figures, Tables } from './figures.tsx';
import classes from './kit.module.css';
import { LongTable } from './long-table.tsx';
import { Overlays } from './overlays.tsx';
import { Pictures } from './pictures.tsx';
import { Ranking } from './ranking.tsx';

const facts = factsOf<PageFacts>();

/** Every component of `shared/web` in all of its states, for tests and for those who change a component. */
const Kit = () => (
  <Frame
    facts={facts}
    home="#"
    isWide={true}
    navigation={
      <Navigation
        label={frameText('skip')}
        items={[
          { href: '#controls', text: frameText('code'), isCurrent: true },
          { href: '#feedback', text: frameText('support'), isCurrent: false },
        ]}
      />
    }
  >
    <h1>{frameText('support')}</h1>
    <div class={classes.sections}>
      <Controls />
      <Feedback />
      <Figures />
      <Tables />
      <LongTable />
      <Ranking />
      <Pictures />
      <Overlays />
    </div>
  </Frame>
);

const place = document.getElementById('app');
if (place) render(<Kit />, place);

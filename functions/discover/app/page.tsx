import type { JSX } from 'preact';
import { Frame } from '../../../shared/web/frame/frame.tsx';
import { facts } from './facts.ts';
import classes from './page.module.css';
import { Reference } from './reference.tsx';
import { say } from './texts.ts';

/** The API reference within the frame of every page. */
export const DocsPage = (): JSX.Element => (
  <Frame facts={facts} home="/console/">
    <div class={classes.heading}>
      <h1>{say('heading')}</h1>
      <nav class={classes.links} aria-label={say('links')}>
        <a href="/console/">{say('console')}</a>
        <a href="/api/openapi.json">OpenAPI JSON</a>
        <a href="/api/openapi.yaml">OpenAPI YAML</a>
      </nav>
    </div>
    <div class={classes.hints}>
      {facts.language !== 'en' && <p>{say('in_english')}</p>}
      <p>{say('try')}</p>
      <details>
        <summary>{say('commands')}</summary>
        <p>{say('variables')}</p>
        <p>{say('authority')}</p>
      </details>
    </div>
    <Reference />
  </Frame>
);

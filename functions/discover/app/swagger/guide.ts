import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import type { Component, System } from './system.ts';

/** The description of the document fills several screens, so it is closed until it is needed. */
export const closedGuide =
  (Info: Component, { React: { createElement } }: System): Component =>
  (props) =>
    createElement(
      'details',
      { className: 'guide' },
      createElement('summary', { lang: facts.language }, say('guide')),
      createElement(Info, props),
    );

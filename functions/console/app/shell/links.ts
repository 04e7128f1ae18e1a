import { may } from '../facts.ts';
import type { Kind } from '../records/kinds.ts';
import { type ConsoleText, say } from '../texts.ts';
import { screens } from './screens.ts';
import { sections } from './sections.ts';

/** A page of the console. */
export type Link = {
  /** First segment of its place; empty for the overview. */
  segment: string;
  text: string;
};

export type LinkGroup = { title: string; links: Link[] };

/** The pages that the user may open, in groups. Kinds whose records belong to other records are reached from those. */
export function linkGroups(kinds: readonly Kind[] = []): LinkGroup[] {
  const roots = kinds.filter(({ parents }) => parents.length === 0);
  const placed = new Set(sections.flatMap((section) => section.kinds));
  const further = roots.map(({ type }) => type).filter((type) => !placed.has(type));
  const groups = sections.map(({ title, kinds: types }, at) => ({
    title: say(title),
    links: [
      ...[...types, ...(at === sections.length - 1 ? further : [])].flatMap((type) => [
        ...roots.filter((kind) => kind.type === type).map(({ many }) => ({ segment: type, text: many })),
        ...screenLinks(title, type),
      ]),
      ...screenLinks(title),
    ],
  }));
  const overview = { title: '', links: [{ segment: '', text: say('overview') }] };
  return [overview, ...groups].filter(({ links }) => links.length > 0);
}

/** Pages outside of the navigation. */
export const ownLinks = (): Link[] => screenLinks(undefined);

const screenLinks = (title: ConsoleText | undefined, type?: string): Link[] =>
  screens
    .filter(({ section, after, permissions }) => section === title && after === type && may(permissions))
    .map((screen) => ({ segment: screen.segment, text: say(screen.title) }));

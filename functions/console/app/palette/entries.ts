import { signOut } from '../../../../shared/web/client/session.ts';
import { frameText } from '../../../../shared/web/text/texts.ts';
import type { IconName } from '../../../../shared/web/ui/controls/icon.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { areas } from '../areas.ts';
import { may } from '../facts.ts';
import { allowed, type Kind, kindOf } from '../records/kinds.ts';
import { addressOf } from '../router/place.ts';
import { linkGroups, ownLinks } from '../shell/links.ts';
import { say } from '../texts.ts';
import { recentRecords } from './recent.ts';

/** Something that the palette offers: a place, or an action on the spot. */
export type Entry = {
  key: string;
  text: string;
  /** What distinguishes entries of equal texts, such as the domain of a user. */
  within?: string | undefined;
  icon: IconName;
} & ({ href: string } | { run: () => void });

export type EntryGroup = { title: string; entries: Entry[] };

/** Groups without entries are left out. */
export const filled = (groups: readonly EntryGroup[]): EntryGroup[] =>
  groups.filter(({ entries }) => entries.length > 0);

/** The pages that the user may open. */
export const pageEntries = (kinds: readonly Kind[]): Entry[] =>
  [...linkGroups(kinds), { title: '', links: ownLinks() }].flatMap(({ title, links }) =>
    links.map(({ segment, text }) => ({
      ...{ key: `page ${segment}`, text, icon: 'overview' as const },
      within: title === '' || title === text ? undefined : title,
      href: segment === '' ? '#/' : addressOf([segment]),
    })),
  );

type Own = { onShortcuts: () => void };

/** What the user may do: create records, the actions of the areas, and those of every page. */
export const actionEntries = (kinds: readonly Kind[], { onShortcuts }: Own): Entry[] => [
  ...kinds.flatMap((kind): Entry[] => {
    const create = kind.parents.length === 0 ? allowed(kind.create) : undefined;
    if (!create) return [];
    const href = addressOf([kind.type, 'new']);
    return [{ key: `create ${kind.type}`, text: create.label, icon: 'add', href }];
  }),
  ...areas
    .flatMap(({ actions = [] }) => actions)
    .filter(({ permissions }) => may(permissions))
    .map(({ title, segments, query }): Entry => {
      const href = addressOf(segments, query);
      return { key: `action ${href}`, text: say(title), icon: 'forward', href };
    }),
  { key: 'copy_link', text: say('palette_copy_link'), icon: 'copy', run: copyLink },
  { key: 'shortcuts', text: say('palette_shortcuts'), icon: 'keyboard', run: onShortcuts },
  { key: 'sign_out', text: frameText('sign_out'), icon: 'leave', run: leave },
];

const leave = (): void => void signOut().catch(() => toast(frameText('unreachable'), { isFault: true }));

/** Copies the address of the page, with its search, filters and order. */
export const copyLink = (href: string = location.href): void =>
  void navigator.clipboard.writeText(href).then(
    () => toast(say('palette_link_copied')),
    () => toast(say('not_copied'), { isFault: true }),
  );

/** The records that the user opened last, as far as their kinds may still be read. */
export const recentEntries = (kinds: readonly Kind[]): Entry[] =>
  recentRecords().flatMap(({ type, id, name, parents }): Entry[] => {
    const kind = kindOf(kinds, type);
    if (!kind?.get) return [];
    const href = addressOf([type, id], parents);
    return [{ key: `recent ${type} ${id}`, text: name, within: kind.one, icon: 'recent', href }];
  });

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The entries whose texts contain all words of a text; those that begin with it are first. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  const hasAll = ({ text: own, within = '' }: Entry): boolean =>
    words.every((word) => folded(`${own} ${within}`).includes(word));
  const rank = ({ text: own }: Entry): number => (folded(own).startsWith(words[0] ?? '') ? 0 : 1);
  return entries.filter(hasAll).toSorted((a, b) => rank(a) - rank(b));
}

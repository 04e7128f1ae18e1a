import { say } from '../texts.ts';
import type { Draft } from './draft.ts';

const latin: Readonly<Record<string, string>> = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'e', ж: 'zh', з: 'z', и: 'i', й: 'y' },
  ...{ к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f' },
  ...{ х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya' },
  ß: 'ss',
};

/** Characters of a name in URLs. */
const longest = 63;

/** A name as it is used in URLs: lower-case Latin letters, digits and single hyphens. */
const uriOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[а-яёß]/g, (letter) => latin[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, longest)
    .replace(/-$/, '');

/** The draft with suggestions for the members that the user has not changed. */
export function withSuggestions(draft: Draft): Draft {
  const { name, own } = draft;
  const keeps = (member: Draft['own'][number]) => own.includes(member);
  const uri = keeps('uri') ? draft.uri : uriOf(name);
  const farm = name.trim() === '' ? '' : say('setup_farm_of', { name: name.trim() });
  return {
    ...draft,
    uri,
    farm: keeps('farm') ? draft.farm : farm,
    node: keeps('node') || uri === '' ? draft.node : `${uri}-1`,
  };
}

/** The address of a node as a URL: what is typed without a scheme is a host name. */
export function urlOf(typed: string): string {
  const text = typed.trim().replace(/\/+$/, '');
  return text === '' || /^[a-z]+:/i.test(text.replace(/^[^/]*:\d/, '')) ? text : `https://${text}`;
}

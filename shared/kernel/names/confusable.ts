import { isNameOfWork, isReservedUserName } from '../text.ts';

/**
 * Why a name can be taken for another one. `scripts` are the scripts of a word that mixes some (ISO 15924, such as
 * `Latn`); empty if no word does.
 */
export type Confusable = {
  scripts: string[];
  hasInvisible: boolean;
  hasDirections: boolean;
  /** The audit log or the dispatchers give the name to the portal itself. */
  isReserved: boolean;
};

/** Scripts whose letters look like those of another one, and the common ones of names. */
const scripts = [
  ...[
    'Latn',
    'Cyrl',
    'Grek',
    'Armn',
    'Geor',
    'Copt',
    'Cher',
    'Lisu',
    'Hebr',
    'Arab',
    'Deva',
    'Beng',
    'Thai',
    'Laoo',
  ],
  ...['Hani', 'Hira', 'Kana', 'Bopo', 'Hang'],
] as const;
type Script = (typeof scripts)[number];

/** Scripts that one word may have (UTS 39, restriction level "highly restrictive"). */
const together: readonly (readonly Script[])[] = [
  ...scripts.map((script) => [script]),
  ['Latn', 'Hani', 'Hira', 'Kana'],
  ['Latn', 'Hani', 'Bopo'],
  ['Latn', 'Hani', 'Hang'],
];

const letters = new Map(
  scripts.map((script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, 'u')]),
);

/** The scripts of a letter; empty for one of all scripts, or of a script that is not compared. */
const scriptsOf = (letter: string): Script[] => scripts.filter((script) => letters.get(script)?.test(letter));

/** The scripts of a word whose letters do not belong together, the most frequent first. Empty for other words. */
function mixedIn(word: string): Script[] {
  const found = [...word].map(scriptsOf).filter((of) => of.length > 0);
  const fits = together.some((allowed) => found.every((of) => of.some((script) => allowed.includes(script))));
  if (fits) return [];
  const weight = (script: Script) => found.filter((of) => of.includes(script)).length;
  return [...new Set(found.flatMap(([first]) => first ?? []))].sort((a, b) => weight(b) - weight(a));
}

/** Marks, overrides and isolates of the Unicode bidirectional algorithm. */
const directions = /\p{Bidi_Control}/u;
const invisible = /(?!\p{Bidi_Control})[\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

/** Returns why a name can be taken for another one. Undefined for a plain name, in any one script. */
export function confusableOf(name: string): Confusable | undefined {
  const words = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const found = {
    scripts: words.map(mixedIn).find((mixed) => mixed.length > 0) ?? [],
    hasInvisible: invisible.test(name),
    hasDirections: directions.test(name),
    isReserved: isNameOfWork(name) || isReservedUserName(name),
  };
  const { scripts: mixed, hasInvisible, hasDirections, isReserved } = found;
  return mixed.length > 0 || hasInvisible || hasDirections || isReserved ? found : undefined;
}

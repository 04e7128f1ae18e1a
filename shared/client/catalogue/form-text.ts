import type { Field } from './record-kinds.ts';

type Rule = readonly [pattern: RegExp, text: string];

/** A form shows an empty input for null, and a switch for true and false. */
const ofValues: readonly Rule[] = [
  [/\bNull: /g, 'If empty: '],
  [/\bNull (if|until|before|while|without|for)\b/g, 'Empty $1'],
  [/\b(Always|Default) null: /g, '$1 empty: '],
  [/\b(If|if) true, /g, '$1 on, '],
  [/\b(If|if) false, /g, '$1 off, '],
  [/^True (if|while|during|for)\b/, 'Yes $1'],
  [/\bDefault true\b/, 'Default on'],
  [/\bDefault false\b/, 'Default off'],
];

/** A form shows the names of referenced records instead of their identifiers. */
const ofReferences: readonly Rule[] = [
  [/^Identifiers? of (?:the |an? )?/, ''],
  [/\bthe (\w+) (?:with|of) this identifier\b/, 'this $1'],
];

/** A description of the document for a reader who sees a form and no JSON. */
export function formText({ description, type }: Pick<Field, 'description' | 'type'>): string {
  const rules = type === 'reference' ? [...ofValues, ...ofReferences] : ofValues;
  const text = rules.reduce(
    (written, [pattern, replacement]) => written.replace(pattern, replacement),
    description,
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * A text in which members and values have the labels that the form shows.
 * @param labelOf undefined for code that is neither of them
 */
export const withLabels = (text: string, labelOf: (code: string) => string | undefined): string =>
  text.replace(/`([^`]+)`/g, (code, name: string) => {
    const label = labelOf(name);
    return label === undefined ? code : `“${label}”`;
  });

import { confusableOf } from '../../../../../shared/kernel/names/confusable.ts';
import { factsOf } from '../../../../../shared/web/client/facts.ts';
import { say } from '../../texts.ts';

const { language } = factsOf();
const scriptNames = new Intl.DisplayNames(language, { type: 'script' });
const list = new Intl.ListFormat(language, { type: 'unit' });

/** Why the name of a user can be taken for another one. Undefined for a plain name. */
export function confusableText(name: string): string | undefined {
  const found = confusableOf(name);
  if (!found) return undefined;
  const { scripts, hasInvisible, hasDirections, isReserved } = found;
  return [
    ...(scripts.length > 0
      ? [say('confusable_scripts', { scripts: list.format(scripts.map(scriptName)) })]
      : []),
    ...(hasInvisible ? [say('confusable_invisible')] : []),
    ...(hasDirections ? [say('confusable_directions')] : []),
    ...(isReserved ? [say('confusable_reserved')] : []),
  ].join(' ');
}

const scriptName = (code: string): string => scriptNames.of(code) ?? code;

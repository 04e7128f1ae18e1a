import type { Language } from '../languages.ts';
import englishChoices from './choices.en.json' with { type: 'json' };
import russianChoices from './choices.ru.json' with { type: 'json' };
import common from './help/common.ru.json' with { type: 'json' };
import exceptions from './help/exceptions.en.json' with { type: 'json' };
import fleet from './help/fleet.ru.json' with { type: 'json' };
import identity from './help/identity.ru.json' with { type: 'json' };
import journal from './help/journal.ru.json' with { type: 'json' };
import routing from './help/routing.ru.json' with { type: 'json' };
import webhooks from './help/webhooks.ru.json' with { type: 'json' };
import workplaces from './help/workplaces.ru.json' with { type: 'json' };
import englishKinds from './kinds.en.json' with { type: 'json' };
import russianKinds from './kinds.ru.json' with { type: 'json' };
import englishLabels from './labels.en.json' with { type: 'json' };
import russianLabels from './labels.ru.json' with { type: 'json' };
import englishPermissions from './permissions.en.json' with { type: 'json' };
import russianPermissions from './permissions.ru.json' with { type: 'json' };
import englishVerbs from './verbs.en.json' with { type: 'json' };
import russianVerbs from './verbs.ru.json' with { type: 'json' };

/**
 * Words for the lists and forms of records, as `RecordWords` of `shared/client/catalogue/words.ts` describes them. The
 * English ones are exceptions: a label is derived from the name, and a help text from the description in the document.
 */
export const recordWords = {
  en: {
    kinds: englishKinds,
    labels: englishLabels,
    choices: englishChoices,
    permissions: englishPermissions,
    verbs: englishVerbs,
    help: exceptions,
  },
  ru: {
    kinds: russianKinds,
    labels: russianLabels,
    choices: russianChoices,
    permissions: russianPermissions,
    verbs: russianVerbs,
    help: { ...common, ...journal, ...identity, ...fleet, ...routing, ...workplaces, ...webhooks },
  },
} as const satisfies Record<Language, unknown>;

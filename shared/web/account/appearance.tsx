import type { JSX } from 'preact';
import { languages } from '../../messages/languages.ts';
import { schemes } from '../frame/preferences.ts';
import { useScheme } from '../frame/use-scheme.ts';
import { changeLanguage } from '../frame/user-menu.tsx';
import { languageNames } from '../text/language-names.ts';
import { SelectField } from '../ui/controls/field.tsx';
import classes from './account.module.css';
import { facts } from './facts.ts';
import { say } from './texts.ts';

/** The language of the account, and the colours of this browser. */
export function Appearance(): JSX.Element {
  const [scheme, chooseScheme] = useScheme();
  return (
    <div class={classes.choices}>
      <SelectField
        label={say('account_language')}
        hint={say('account_language_hint')}
        value={facts.language}
        options={languages.map((language) => [language, languageNames[language]] as const)}
        onChange={(language) => void changeLanguage(language)}
      />
      <SelectField
        label={say('account_scheme')}
        hint={say('account_scheme_hint')}
        value={scheme}
        options={schemes.map((one) => [one, say(`account_scheme_${one}`)] as const)}
        onChange={chooseScheme}
      />
    </div>
  );
}

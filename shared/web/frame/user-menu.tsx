import type { ComponentChildren, JSX } from 'preact';
import { languages } from '../../messages/languages.ts';
import type { PageFacts } from '../client/facts.ts';
import { portal, signOut } from '../client/session.ts';
import { languageNames } from '../text/language-names.ts';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Icon } from '../ui/controls/icon.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { toast } from '../ui/overlays/toasts.tsx';
import classes from './frame.module.css';
import { schemes } from './preferences.ts';
import { useScheme } from './use-scheme.ts';

/** What concerns the user: their pages, language, colours and the end of the session. */
export const UserMenu = ({
  facts,
  children,
}: {
  facts: PageFacts;
  children: ComponentChildren;
}): JSX.Element => (
  <Menu
    trigger={(attributes) => (
      <button type="button" class={classes.who} {...attributes}>
        <Icon name="user" />
        <span>{facts.user.name}</span>
      </button>
    )}
  >
    {children}
    {languages
      .filter((language) => language !== facts.language)
      .map((language) => (
        <Button
          key={language}
          look="quiet"
          icon="language"
          lang={language}
          onClick={() => changeLanguage(language)}
        >
          {languageNames[language]}
        </Button>
      ))}
    <SchemeButton />
    <Button look="quiet" icon="leave" onClick={() => signOut().catch(showUnreachable)}>
      {frameText('sign_out')}
    </Button>
  </Menu>
);

const showUnreachable = (): void => toast(frameText('unreachable'), { isFault: true });

/** Goes through the colour schemes. The menu stays open, so that they can be compared. */
function SchemeButton(): JSX.Element {
  const [scheme, chooseScheme] = useScheme();
  const change = (event: Event) => {
    event.stopPropagation();
    chooseScheme(schemes[(schemes.indexOf(scheme) + 1) % schemes.length] ?? 'system');
  };
  return (
    <Button look="quiet" icon="scheme" onClick={change}>
      {frameText('scheme', { scheme: frameText(`scheme_${scheme}`) })}
    </Button>
  );
}

/** Stores the language of the account, and opens the page again in it. */
export async function changeLanguage(language: (typeof languages)[number]): Promise<void> {
  try {
    await portal.call('userinfo.update', { body: { language } });
    location.reload();
  } catch {
    showUnreachable();
  }
}

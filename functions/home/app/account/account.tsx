import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { languages } from '../../../../shared/messages/languages.ts';
import { portal } from '../../../../shared/web/client/session.ts';
import { changeLanguage } from '../../../../shared/web/frame/user-menu.tsx';
import { problemOf } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { momentText } from '../../../../shared/web/text/moments.ts';
import { SelectField } from '../../../../shared/web/ui/controls/field.tsx';
import { Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import classes from './account.module.css';
import { PasswordForm } from './password-form.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens/tokens.tsx';
import { TwoFactor } from './two-factor.tsx';

const languageNames: Record<(typeof languages)[number], string> = { en: 'English', ru: 'Русский' };

/** Profile, language, password, second factor and sessions of the user. */
export const Account = (): JSX.Element => (
  <>
    <p>
      <a href="#workplaces">{say('back_to_workplaces')}</a>
    </p>
    <h1 class={classes.title}>{say('account')}</h1>
    <div class={classes.parts}>
      <Part title={say('profile')}>
        <Profile />
      </Part>
      <Part title={say('password')}>
        <PasswordForm />
      </Part>
      <Part title={say('two_factor')}>
        <TwoFactor />
      </Part>
      <Part title={say('sessions')}>
        <Sessions />
      </Part>
      {facts.own_tokens && (
        <Part title={say('tokens')}>
          <Tokens />
        </Part>
      )}
    </div>
  </>
);

const Part = ({ title, children }: { title: string; children: ComponentChildren }): JSX.Element => (
  <section class={classes.part}>
    <h2>{title}</h2>
    {children}
  </section>
);

function Profile(): JSX.Element {
  const { data, error } = useQuery({ queryKey: ['profile'], queryFn: () => portal.call('userinfo.get') });
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="8rem" />;
  const rows: [string, string][] = [
    [say('name'), data.real_name || data.name],
    [say('login'), data.name],
    [say('domain'), data.domain.name],
    [say('email'), data.email || '–'],
    [say('last_login'), data.last_login_at === null ? '–' : momentText(data.last_login_at)],
  ];
  return (
    <>
      <dl class={classes.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <SelectField
        label={say('language')}
        value={facts.language}
        options={languages.map((language) => [language, languageNames[language]] as const)}
        onChange={(language) => void changeLanguage(language)}
      />
    </>
  );
}

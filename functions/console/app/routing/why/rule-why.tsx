import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { may } from '../../facts.ts';
import type { Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { Decision } from './decision.tsx';
import { UserInput } from './user-input.tsx';
import classes from './why.module.css';
import { KnownUser } from './why-page.tsx';

/** On the page of a rule: what it decides for a user. */
export function RuleWhy({ target: { id } }: { target: Target }): JSX.Element | null {
  const [user, setUser] = useState<string>();
  const title = useId();
  if (!may(['rules.explain'])) return null;
  return (
    <section class={classes.page} aria-labelledby={title}>
      <h2 id={title}>{say('why_title')}</h2>
      <p class={classes.quiet}>{say('why_intro')}</p>
      <div class={classes.choice}>
        {user === undefined ? (
          <UserInput userId={undefined} name={undefined} onUser={setUser} />
        ) : (
          <KnownUser rule={id} user={user} onUser={setUser} />
        )}
        {user !== undefined && (
          <LinkButton look="plain" href={addressOf(['why'], { user, rule: id })}>
            {say('why_open_page')}
          </LinkButton>
        )}
      </div>
      {user !== undefined && <Decision key={user} ruleId={id} userId={user} />}
    </section>
  );
}

import type { JSX } from 'preact';
import { Empty } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { ReferenceInput } from '../../records/fields/reference-input.tsx';
import { addressOf, changedQuery, open, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { Decision } from './decision.tsx';
import { useExplanation } from './explanation.ts';
import { UserInput } from './user-input.tsx';
import classes from './why.module.css';

/** Why a rule connects a user to one pool and not to another. The choice is in the address, so that it can be sent. */
export function WhyPage(): JSX.Element {
  const { query } = usePlace();
  const [rule, user] = [query.get('rule') ?? undefined, query.get('user') ?? undefined];
  const change = (changes: Record<string, string | undefined>) =>
    open(addressOf(['why'], changedQuery(query, changes)), { isSame: true });
  return (
    <div class={classes.page}>
      <h1>{say('why_title')}</h1>
      <p class={classes.quiet}>{say('why_intro')}</p>
      <div class={classes.choice}>
        {rule && user ? (
          <KnownUser rule={rule} user={user} onUser={(id) => change({ user: id })} />
        ) : (
          <UserInput userId={user} name={undefined} onUser={(id) => change({ user: id })} />
        )}
        <ReferenceInput
          label={say('why_rule')}
          hint={rule ? undefined : say('why_rule_hint')}
          type="rule"
          ids={rule ? [rule] : []}
          isMany={false}
          onChange={([id]) => change({ rule: id })}
        />
      </div>
      {rule && user ? (
        <Decision key={`${rule} ${user}`} ruleId={rule} userId={user} />
      ) : (
        <Empty icon="search" title={say('why_choose')} />
      )}
    </div>
  );
}

type KnownUserProps = { rule: string; user: string; onUser: (id: string | undefined) => void };

/** The explanation has the name of the user. */
export function KnownUser({ rule, user, onUser }: KnownUserProps): JSX.Element {
  const { data } = useExplanation(rule, user);
  return <UserInput userId={user} name={data?.user.name} onUser={onUser} />;
}

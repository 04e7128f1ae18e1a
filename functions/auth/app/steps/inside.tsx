import type { JSX } from 'preact';
import { PasswordChange } from '../../../../shared/web/credentials/password-change.tsx';
import { RecoveryCodes } from '../../../../shared/web/credentials/recovery-codes.tsx';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { isForOthers, places } from '../destinations.ts';
import { facts } from '../facts.ts';
import { changePassword, endSession } from '../requests.ts';
import classes from '../signin.module.css';
import { say } from '../texts.ts';
import type { SignedInUser } from '../user.ts';
import { Step } from './step.tsx';

type UserProps = { user: SignedInUser };
type DoneProps = { isLeaving: boolean; onDone: () => void };

/** The recovery codes of a second factor that was set up. */
export const Codes = ({
  codes,
  isLeaving,
  onDone,
}: DoneProps & { codes: readonly string[] }): JSX.Element => (
  <Step heading={say('codes_heading')} hint={say('codes_hint')}>
    <RecoveryCodes {...{ codes, busy: isLeaving, onDone }} />
  </Step>
);

/** The change of a password that the administrator requires. */
export const Change = ({ user, isLeaving, onDone }: DoneProps & UserProps): JSX.Element => (
  <Step heading={say('change_heading')} hint={say('change_hint')}>
    <PasswordChange login={user.login} change={changePassword} onChanged={onDone} busy={isLeaving} />
    <SignOut />
  </Step>
);

/** The pages for a user with a session. */
export const Inside = ({ user }: UserProps): JSX.Element => (
  <Step
    heading={say('inside_heading')}
    // A user without access to the page that redirected here needs an explanation.
    hint={say(isForOthers(user.portal, facts.next) ? 'inside_elsewhere' : 'inside_hint', { user: user.name })}
  >
    <nav aria-label={say('where_to')}>
      <ul class={classes.places}>
        {places[user.portal].map(({ path, text }) => (
          <li key={path}>
            <a href={path}>{say(text)}</a>
          </li>
        ))}
      </ul>
    </nav>
    <SignOut />
  </Step>
);

function SignOut(): JSX.Element {
  const { problem, isBusy, run } = useRequest();
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      <Button look="plain" icon="leave" busy={isBusy} onClick={() => run(endSession)}>
        {say('sign_out')}
      </Button>
    </>
  );
}

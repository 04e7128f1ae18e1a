import type { JSX } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { languages } from '../../../shared/messages/languages.ts';
import { sessionChanged, sessionState } from '../../../shared/web/client/session-state.ts';
import { Footer } from '../../../shared/web/frame/footer.tsx';
import { languageNames } from '../../../shared/web/text/language-names.ts';
import { Notice } from '../../../shared/web/ui/feedback/feedback.tsx';
import { facts } from './facts.ts';
import { type Flow, type FlowEvent, firstFlow, flowAfter, type Outcome } from './flow.ts';
import { methods } from './methods/methods.tsx';
import classes from './signin.module.css';
import { Factor } from './steps/factor.tsx';
import { Change, Codes, Inside } from './steps/inside.tsx';
import { Step } from './steps/step.tsx';
import { say } from './texts.ts';

/** The sign-in, between the branding of the installation. */
export const SignInPage = (): JSX.Element => (
  <>
    {facts.login_background !== '' && <img class={classes.backdrop} src={facts.login_background} alt="" />}
    <div class={classes.stage}>
      <main class={classes.card}>
        <SignIn />
      </main>
      <div class={classes.footer}>
        <Footer facts={facts}>
          {languages
            .filter((language) => language !== facts.language)
            .map((language) => (
              <a key={language} href={addressIn(language)} hreflang={language} lang={language}>
                {languageNames[language]}
              </a>
            ))}
        </Footer>
      </div>
    </div>
  </>
);

/** With the part after `#`: the place within the page to open. Browsers keep it when a page redirects here. */
const addressIn = (language: string): string =>
  `/signin?${new URLSearchParams({ language, ...(facts.next && { next: facts.next }) })}${location.hash}`;

/** The part after `#` belongs to the page that redirected here. */
const placeIn = (path: string): string => (path === facts.next ? location.hash : '');

const reduce = (flow: Flow, event: FlowEvent): Flow => flowAfter(flow, event, facts.next);

function SignIn(): JSX.Element {
  const [flow, dispatch] = useReducer(reduce, firstFlow(facts.user));
  const { leavesTo } = flow;
  useEffect(() => {
    if (leavesTo !== undefined) location.assign(leavesTo + placeIn(leavesTo));
  }, [leavesTo]);
  useEffect(() => {
    const end = () => sessionState() === 'ended' && dispatch({ type: 'session_ended' });
    // A page from the cache of the browser can be that of a session that has begun or ended since.
    const renew = ({ persisted }: PageTransitionEvent) => persisted && location.reload();
    addEventListener(sessionChanged, end);
    addEventListener('pageshow', renew);
    return () => {
      removeEventListener(sessionChanged, end);
      removeEventListener('pageshow', renew);
    };
  }, []);
  return <CurrentStep flow={flow} dispatch={dispatch} />;
}

type CurrentStepProps = { flow: Flow; dispatch: (event: FlowEvent) => void };

function CurrentStep({ flow: { step, leavesTo }, dispatch }: CurrentStepProps): JSX.Element {
  const isLeaving = leavesTo !== undefined;
  const onOutcome = (outcome: Outcome) => dispatch({ type: 'answered', outcome });
  switch (step.name) {
    case 'methods':
      return <Methods key={step.name} hasEnded={step.hasEnded ?? false} {...{ onOutcome, isLeaving }} />;
    case 'factor': {
      const onRestart = () => dispatch({ type: 'restarted' });
      const { challenge } = step;
      return <Factor key={step.name} {...{ challenge, onOutcome, isLeaving, onRestart }} />;
    }
    case 'codes': {
      const onDone = () => dispatch({ type: 'codes_saved' });
      return <Codes key={step.name} {...{ codes: step.codes, isLeaving, onDone }} />;
    }
    case 'change': {
      const onDone = () => dispatch({ type: 'password_changed' });
      return <Change key={step.name} {...{ user: step.user, isLeaving, onDone }} />;
    }
    case 'inside':
      return <Inside key={step.name} user={step.user} />;
  }
}

type MethodsProps = { hasEnded: boolean; isLeaving: boolean; onOutcome: (outcome: Outcome) => void };

const Methods = ({ hasEnded, ...props }: MethodsProps): JSX.Element => (
  <Step heading={say('heading')}>
    {hasEnded && (
      <Notice tone="info" title={say('ended')} isAlert={true}>
        {say('ended_next')}
      </Notice>
    )}
    {facts.step === 'signed_out' && !hasEnded && (
      <Notice tone="good" title={say('signed_out')} isAlert={true} />
    )}
    {methods.map((Method) => (
      <Method key={Method.name} {...props} />
    ))}
  </Step>
);

import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../../../../shared/client/portal-client.ts';
import { filledPath } from '../../../../../../shared/web/client/request.ts';
import { portal } from '../../../../../../shared/web/client/session.ts';
import { ProblemNotice } from '../../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../../shared/web/ui/controls/button.tsx';
import { mayEverywhere } from '../../../facts.ts';
import { addressOf, open, usePlace } from '../../../router/place.ts';
import { say } from '../../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import classes from '../../parts/parts.module.css';
import { useSignInTest, useTestStart } from './sign-in-test.tsx';

type Identities = Operations['authenticator.listIdentities']['answer'];
export type AtIssuer = Identities['items'][number];

/** Permissions that the numbers of people require. */
export const identityPermissions = ['authenticators.read', 'users.read'] as const;

/** The people of a domain by issuer. */
export const useIdentities = (id: string): UseQueryResult<Identities> =>
  useQuery({
    queryKey: ['access', 'authenticator', 'identities', id],
    queryFn: () => portal.call('authenticator.listIdentities', { path: { uuid: id } }),
    staleTime: 0,
  });

/** People of issuers that the domain had before, who cannot sign in, and the move to the present issuer. */
export function FormerPeopleCard({ id }: { id: string }): JSX.Element | null {
  const { data } = useIdentities(id);
  const former = data?.items.filter(({ is_present, people }) => !is_present && people > 0) ?? [];
  if (former.length === 0) return null;
  return (
    <section class={classes.card} aria-label={say('access_former_title')}>
      <h2>{say('access_former_title')}</h2>
      <p class={classes.quiet}>{say('access_former_text')}</p>
      {mayEverywhere(['authenticators.update', 'authenticators.test']) ? (
        <Movable id={id} former={former} />
      ) : (
        <FormerIssuers former={former} />
      )}
    </section>
  );
}

type FormerIssuersProps = { former: readonly AtIssuer[]; onMove?: (of: AtIssuer) => void };

const FormerIssuers = ({ former, onMove }: FormerIssuersProps): JSX.Element => (
  <ul class={classes.list}>
    {former.map((of) => (
      <li key={of.issuer}>
        <div>
          <p>{say('access_former_count', { people: of.people, roles: of.with_roles })}</p>
          <p class={classes.quiet}>
            <code>{of.issuer}</code>
          </p>
        </div>
        {onMove && (
          <Button look="plain" onClick={() => onMove(of)}>
            {say('access_former_move', { people: of.people })}
          </Button>
        )}
      </li>
    ))}
  </ul>
);

/** Without the result of a test sign-in, the test comes first. */
function Movable({ id, former }: { id: string; former: readonly AtIssuer[] }): JSX.Element {
  const test = usePlace().query.get('sign_in_test');
  const { data } = useSignInTest(id, test);
  const { problem, isBusy, start } = useTestStart(id);
  const [asked, ask] = useState<Confirmation>();
  const isTested = test !== null && data?.result?.person != null;
  return (
    <>
      <FormerIssuers
        former={former}
        {...(isTested && { onMove: (of: AtIssuer) => ask(moving(id, of, test)) })}
      />
      <p class={classes.quiet}>{say(isTested ? 'access_former_tested' : 'access_former_test_text')}</p>
      {problem && <ProblemNotice problem={problem} />}
      {!isTested && (
        <div class={`${classes.buttons} ${classes.end}`}>
          <Button look="plain" busy={isBusy} onClick={start}>
            {say('access_former_test')}
          </Button>
        </div>
      )}
      {asked && (
        <ConfirmDialog
          {...asked}
          onClose={() => ask(undefined)}
          // The test is used up.
          onDone={() => open(addressOf(['authenticator', id]), { isSame: true })}
        />
      )}
    </>
  );
}

const moving = (uuid: string, { issuer, people }: AtIssuer, test_id: string): Confirmation => ({
  title: say('access_former_move_title', { people }),
  text: say('access_former_move_text', { issuer }),
  label: say('access_former_move', { people }),
  sending: {
    method: 'POST',
    path: filledPath('/api/webui/aggregator/authenticators/{uuid}/move_identities', { uuid }),
    body: { from: issuer, test_id },
  },
  done: say('access_former_moved', { people }),
  changes: ['authenticator', 'user'],
});

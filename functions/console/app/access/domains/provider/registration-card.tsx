import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../../../../shared/client/portal-client.ts';
import { filledPath } from '../../../../../../shared/web/client/request.ts';
import { portal } from '../../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../../shared/web/problems/problem-notice.tsx';
import { dateText } from '../../../../../../shared/web/text/moments.ts';
import { Button, IconButton } from '../../../../../../shared/web/ui/controls/button.tsx';
import { Badge, Skeleton } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import { toast } from '../../../../../../shared/web/ui/overlays/toasts.tsx';
import { may } from '../../../facts.ts';
import { type ConsoleText, say } from '../../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import classes from '../../parts/parts.module.css';

type Registration = Operations['authenticator.getRegistration']['answer'];

/** What the administrator of the identity provider must know of the portal: addresses to copy, and the keys. */
export function RegistrationCard({ id }: { id: string }): JSX.Element {
  const { data, error } = useQuery({
    queryKey: ['access', 'authenticator', 'registration', id],
    queryFn: () => portal.call('authenticator.getRegistration', { path: { uuid: id } }),
  });
  return (
    <section class={classes.card}>
      <h2>{say('access_registration_title')}</h2>
      <p class={classes.quiet}>{say('access_registration_text')}</p>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {!data && error === null && <Skeleton height="10rem" />}
      {data && <p>{data.admission}</p>}
      {data && <Addresses registration={data} />}
      {data && data.keys.length > 0 && <Keys id={id} keys={data.keys} />}
    </section>
  );
}

/** The addresses that the settings use, with the words for them. */
const addressesOf = (registration: Registration): [ConsoleText, string][] => {
  const { redirect_uris, post_logout_redirect_uris, backchannel_logout_uri, jwks_uri, scim_uri } =
    registration;
  const all: [ConsoleText, string | null][] = [
    ...redirect_uris.map((url): [ConsoleText, string] => ['access_registration_redirect', url]),
    ...post_logout_redirect_uris.map((url): [ConsoleText, string] => ['access_registration_signed_out', url]),
    ['access_registration_log_out', backchannel_logout_uri],
    ['access_registration_jwks', jwks_uri],
    ['access_registration_scim', scim_uri],
  ];
  return all.filter((entry): entry is [ConsoleText, string] => entry[1] !== null);
};

const Addresses = ({ registration }: { registration: Registration }): JSX.Element => (
  <ul class={classes.list}>
    {addressesOf(registration).map(([label, url]) => (
      <li key={url}>
        <div>
          <p>{say(label)}</p>
          <p class={classes.quiet}>
            <code>{url}</code>
          </p>
        </div>
        <IconButton
          icon="copy"
          label={say('access_registration_copy', { name: say(label) })}
          onClick={() =>
            navigator.clipboard.writeText(url).then(
              () => toast(say('copied')),
              () => toast(say('not_copied'), { isFault: true }),
            )
          }
        />
      </li>
    ))}
  </ul>
);

function Keys({ id, keys }: { id: string; keys: Registration['keys'] }): JSX.Element {
  const [asked, ask] = useState<Confirmation>();
  return (
    <>
      <div class={classes.head}>
        <h3>{say('access_keys_title')}</h3>
        {may(['authenticators.update']) && (
          <Button look="plain" onClick={() => ask(rotating(id))}>
            {say('access_keys_new')}
          </Button>
        )}
      </div>
      <ul class={classes.list}>
        {keys.map((key, at) => (
          <li key={key.id}>
            <div>
              <p>
                {say('access_keys_since', { date: dateText(key.created_at) })}{' '}
                <Badge tone={at === 0 ? 'good' : 'info'}>
                  {say(at === 0 ? 'access_keys_signs' : 'access_keys_former')}
                </Badge>
              </p>
              <p class={classes.quiet}>
                <code>{key.id}</code>
              </p>
            </div>
          </li>
        ))}
      </ul>
      {asked && <ConfirmDialog {...asked} onClose={() => ask(undefined)} />}
    </>
  );
}

const rotating = (uuid: string): Confirmation => ({
  title: say('access_keys_new_title'),
  text: say('access_keys_new_text'),
  label: say('access_keys_new'),
  sending: {
    method: 'POST',
    path: filledPath('/api/webui/aggregator/authenticators/{uuid}/rotate_key', { uuid }),
  },
  done: say('access_keys_made'),
  changes: ['authenticator'],
});

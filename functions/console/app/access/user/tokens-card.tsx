import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { agoText, dateText } from '../../../../../shared/web/text/moments.ts';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Badge } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../parts/confirm-dialog.tsx';
import classes from '../parts/parts.module.css';
import type { ServiceToken, UserAccess } from './use-access.ts';

type TokensCardProps = { target: Target; state: RecordState; access: UserAccess };

/** The service tokens of the user, those that expire next first. */
export function TokensCard({ target, state: { row }, access: { tokens } }: TokensCardProps): JSX.Element {
  const [asked, ask] = useState<Confirmation>();
  const owner = { auth_uuid: target.parents.auth_uuid ?? '', uuid: target.id };
  const canChange = may(['users.update']);
  return (
    <section class={classes.card}>
      <div class={classes.head}>
        <h2>{say('access_tokens_title')}</h2>
        {canChange && row.kind === 'service' && (
          <LinkButton look="plain" href={addressOf(['serviceToken', 'new'], owner)}>
            {say('access_token_issue')}
          </LinkButton>
        )}
      </div>
      {tokens.total === 0 && (
        <p class={classes.quiet}>
          {row.kind === 'service' ? say('access_tokens_none') : say('access_tokens_only_services')}
        </p>
      )}
      <TokenList
        tokens={tokens.items}
        onRevoke={canChange ? (token) => ask(revoking(owner, token)) : undefined}
      />
      {tokens.total > tokens.items.length && (
        <a href={addressOf(['issuedToken'], { user: target.id })}>
          {say('access_tokens_all', { count: tokens.total })}
        </a>
      )}
      {asked && <ConfirmDialog {...asked} onClose={() => ask(undefined)} />}
    </section>
  );
}

type TokenListProps = {
  tokens: readonly ServiceToken[];
  onRevoke: ((token: ServiceToken) => void) | undefined;
};

const TokenList = ({ tokens, onRevoke }: TokenListProps): JSX.Element => (
  <ul class={classes.list}>
    {tokens.map((token) => (
      <li key={token.id}>
        <Token token={token} />
        {onRevoke && (
          <Button
            look="plain"
            aria-label={say('access_token_revoke_name', { name: token.name })}
            onClick={() => onRevoke(token)}
          >
            {say('access_token_revoke')}
          </Button>
        )}
      </li>
    ))}
  </ul>
);

const soonMs = 14 * 86_400_000;

function Token({ token }: { token: ServiceToken }): JSX.Element {
  const { name, expires_at, last_seen_at, permissions } = token;
  const left = Date.parse(expires_at) - Date.now();
  const parts = [
    say('access_token_until', { date: dateText(expires_at) }),
    last_seen_at === null
      ? say('access_token_unused')
      : say('access_token_used', { ago: agoText(last_seen_at) }),
    say('access_token_rights', { count: permissions.length }),
  ];
  return (
    <div>
      <p>
        {name} {left <= 0 && <Badge tone="bad">{say('access_token_expired')}</Badge>}
        {left > 0 && left < soonMs && <Badge tone="warn">{say('access_token_soon')}</Badge>}
      </p>
      <p class={classes.quiet}>{parts.join(' · ')}</p>
    </div>
  );
}

const tokenPath = '/api/webui/aggregator/authenticators/{auth_uuid}/users/{uuid}/tokens/{id}';

export const revoking = (
  owner: { auth_uuid: string; uuid: string },
  { id, name }: { id: string; name: string },
): Confirmation => ({
  title: say('access_token_revoke_title', { name }),
  text: say('access_token_revoke_text'),
  label: say('access_token_revoke'),
  sending: { method: 'DELETE', path: filledPath(tokenPath, { ...owner, id }) },
  done: say('access_token_revoked', { name }),
  changes: ['serviceToken', 'issuedToken'],
  isDangerous: true,
});

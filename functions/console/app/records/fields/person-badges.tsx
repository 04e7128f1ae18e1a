import type { JSX } from 'preact';
import { Badge } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../texts.ts';
import { type Kind, titleField } from '../kinds.ts';
import { confusableText } from './confusable-text.ts';

/** Beside the name of a user that can be taken for another one, with the reasons. */
export function NameBadge({ name }: { name: unknown }): JSX.Element | null {
  const text = typeof name === 'string' ? confusableText(name) : undefined;
  if (text === undefined) return null;
  return (
    <span title={text}>
      {' '}
      <Badge tone="warn">{say('confusable')}</Badge>
      <span class="unseen">{text}</span>
    </span>
  );
}

/** The records of the kind are named by a user. */
export const isNamedByUser = (kind: Kind): boolean =>
  kind.type === 'user' || kind.type === 'portalUser' || titleField(kind).name === 'user';

const texts = {
  service_token: 'actor_service_token',
  peer: 'actor_peer',
  operator: 'actor_operator',
  agent: 'actor_agent',
  gateway: 'actor_gateway',
  portal: 'actor_portal',
  job: 'actor_job',
  anonymous: 'actor_anonymous',
} as const;

const isKnown = (actor: unknown): actor is keyof typeof texts =>
  typeof actor === 'string' && Object.hasOwn(texts, actor);

/** Beside the name in an audit event, if something else than a signed-in user acted. A user can have any name. */
export const ActorBadge = ({ actor }: { actor: unknown }): JSX.Element | null =>
  isKnown(actor) ? (
    <>
      {' '}
      <Badge tone="info">{say(texts[actor])}</Badge>
    </>
  ) : null;

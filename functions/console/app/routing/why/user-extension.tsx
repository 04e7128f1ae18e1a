import type { JSX } from 'preact';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { may } from '../../facts.ts';
import type { Extension } from '../../records/extension.ts';
import type { Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';

/** From the page of a user to the decisions of rules for the user. */
const WhyOfUser = ({ target: { id } }: { target: Target }): JSX.Element | null =>
  may(['rules.explain', 'rules.read']) ? (
    <LinkButton look="plain" href={addressOf(['why'], { user: id })}>
      {say('why_open_user')}
    </LinkButton>
  ) : null;

export const userWhy: Extension = { RecordActions: WhyOfUser };

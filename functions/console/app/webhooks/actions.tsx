import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { facts } from '../facts.ts';
import { allowed, type Kind, titleOf, type Verb } from '../records/kinds.ts';
import { pathValues, type RecordState, type Target } from '../records/requests.ts';
import { say } from '../texts.ts';
import { VerbDialog } from './verb-dialog.tsx';

export const verbOf = ({ actions }: Kind, name: string): Verb | undefined =>
  allowed(actions.find(({ id }) => id === `webhook.${name}`));

type Action = 'test' | 'rotateSecret' | 'takeOver';

/** What the user may do with a webhook: only its owner rotates the secret, and others may become the owner. */
export function Actions({ target, state }: { target: Target; state: RecordState }): JSX.Element {
  const { kind, parents, id } = target;
  const { row, etag } = state;
  const [chosen, setChosen] = useState<Action>();
  const isOwner = row.owner_id === facts.user.id;
  const actions: Action[] = [
    ...(row.enabled === true ? (['test'] as const) : []),
    isOwner ? 'rotateSecret' : 'takeOver',
  ];
  const offered = actions.flatMap((name) => {
    const verb = verbOf(kind, name);
    return verb ? [{ name, verb }] : [];
  });
  const shown = offered.find(({ name }) => name === chosen);
  return (
    <>
      {offered.map(({ name, verb }) => (
        <Button key={name} look="plain" onClick={() => setChosen(name)}>
          {verb.label}
        </Button>
      ))}
      {shown && (
        <VerbDialog
          kind={kind}
          verb={shown.verb}
          path={pathValues(kind, parents, id)}
          etag={etag}
          {...textsOf(shown.name, titleOf(kind, row))}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

function textsOf(action: Action, name: string) {
  switch (action) {
    case 'test':
      return {
        title: say('webhooks_test_title', { name }),
        text: say('webhooks_test_text'),
        done: () => say('webhooks_test_done'),
      };
    case 'rotateSecret':
      return {
        title: say('webhooks_rotate_title', { name }),
        text: say('webhooks_rotate_text'),
        done: () => say('webhooks_rotate_done'),
      };
    case 'takeOver':
      return {
        title: say('webhooks_take_title', { name }),
        text: say('webhooks_take_text'),
        done: () => say('webhooks_take_done'),
      };
  }
}

import type { JSX } from 'preact';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { kindOf, useKinds } from '../../records/kinds.ts';
import { EffectOf } from '../../records/record/effect.tsx';
import type { Effect } from '../../records/requests.ts';
import { say } from '../../texts.ts';

const types = ['site', 'farm', 'dispatcher'];

/** What the creation would do. */
export function TrialDialog({ effect, onClose }: { effect: Effect; onClose: () => void }): JSX.Element {
  const kinds = useKinds();
  return (
    <Dialog
      title={say('would_change')}
      onClose={onClose}
      actions={<Button onClick={onClose}>{say('close')}</Button>}
    >
      <p>{say('nothing_changed_yet')}</p>
      {types.map((type) => {
        const kind = kindOf(kinds, type);
        const events = effect.events.filter(({ object_type }) => object_type === type);
        return kind ? (
          <section key={type}>
            <h3>{kind.one}</h3>
            <EffectOf kind={kind} effect={{ ...effect, events }} />
          </section>
        ) : null;
      })}
    </Dialog>
  );
}

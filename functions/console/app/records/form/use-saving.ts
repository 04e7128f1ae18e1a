import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { PortalError } from '../../../../../shared/client/refusals.ts';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { addressOf, open } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { idOf, type Row, titleOf } from '../kinds.ts';
import { forgetKind } from '../record/use-record.ts';
import { type Effect, type RecordState, tryWrite, type Write, write } from '../requests.ts';
import { type Edited, type Found, foundNow, writeFor } from './edited.ts';
import { merged, recordValues, type Values } from './form-values.ts';
import { type Issued, issuedIn } from './issued.ts';
import type { Form } from './use-form.ts';

/** Sends a form, tries it, and handles changes that another administrator made meanwhile. */
export function useSaving(edited: Edited, form: Form) {
  const { problem, isBusy, run } = useRequest();
  const [effect, setEffect] = useState<Effect>();
  const [conflict, setConflict] = useState<Found>();
  const { issued, finish } = useFinish(edited, form);
  const what = (values = form.values, state?: RecordState): Write => writeFor(edited, values, state);
  const send = (values: Values, state?: RecordState): Promise<void> =>
    run(async () => {
      try {
        const { body } = await write(what(values, state));
        setConflict(undefined);
        await finish(body as Row);
      } catch (error) {
        if (!isConflict(error) || !edited.existing) throw error;
        setConflict(await foundNow(edited, values));
      }
    });
  /** Saves the chosen values over the newer version. */
  const resolve = (chosen: Values) => {
    if (!conflict) return;
    const theirs = recordValues(edited.fields, conflict.theirs.row);
    const all = merged(edited.fields, { mine: form.values, theirs, original: edited.start });
    const values = { ...all, ...chosen };
    form.replace(values);
    void send(values, conflict.theirs);
  };
  return {
    ...{ problem, isBusy, effect, conflict, issued, what, resolve },
    save: () => send(form.values),
    tryFirst: () => run(async () => setEffect(await tryWrite(what()))),
    forgetEffect: () => setEffect(undefined),
    forgetConflict: () => setConflict(undefined),
  };
}

const isConflict = (error: unknown): boolean =>
  error instanceof PortalError && error.code === 'precondition_failed';

/** What follows a write: secrets that the answer contains are shown, then the record. */
function useFinish({ kind, parents, existing }: Edited, form: Form) {
  const client = useQueryClient();
  const [issued, setIssued] = useState<{ secrets: Issued[]; onClose: () => void }>();
  const finish = async (row: Row): Promise<void> => {
    form.finish();
    const name = titleOf(kind, row);
    const segments = kind.get ? [kind.type, idOf(kind, row)] : [kind.type];
    const leave = () => open(addressOf(segments, parents));
    const secrets = issuedIn(kind, row);
    if (secrets.length > 0) setIssued({ secrets, onClose: leave });
    else leave();
    toast(existing ? say('saved', { name }) : say('created', { name }));
    await forgetKind(client, kind.type);
  };
  return { issued, finish };
}

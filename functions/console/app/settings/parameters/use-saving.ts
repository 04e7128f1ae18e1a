import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import type { Effect } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { bodyOf, type Parameter, parametersOf } from './parameters.ts';
import { type Edits, outdated } from './use-edits.ts';

export const parametersKey = ['parameters', 'system_parameter'];

const limitMs = 30_000;

export async function readParameters(signal?: AbortSignal): Promise<Parameter[]> {
  const limit = AbortSignal.timeout(limitMs);
  return parametersOf(
    await portal.call(
      'systemParameters.get',
      {},
      { signal: signal ? AbortSignal.any([signal, limit]) : limit },
    ),
  );
}

/** Only edited parameters are sent; the others keep their values. */
export const requestOf = (edits: Edits): Sending => ({
  method: 'PUT',
  path: '/api/webui/aggregator/tconfig',
  body: bodyOf(new Map([...edits].map(([name, { value }]) => [name, value ?? null]))),
});

/** Saves edited parameters, tries it, and asks if another administrator has changed one of them meanwhile. */
export function useSaving(edits: Edits, onSaved: () => void) {
  const { problem, isBusy, run, forget } = useRequest();
  const client = useQueryClient();
  const [effect, setEffect] = useState<Effect>();
  const [conflicts, setConflicts] = useState<Parameter[]>();
  const send = async (values: Edits): Promise<void> => {
    const { body } = await sendRequest({ ...requestOf(values), signal: AbortSignal.timeout(limitMs) });
    client.setQueryData(parametersKey, parametersOf(body as Parameters<typeof parametersOf>[0]));
    setConflicts(undefined);
    onSaved();
    toast(say('parameters_saved', { count: values.size }));
  };
  return {
    ...{ problem, isBusy, effect, conflicts, forget },
    save: () =>
      run(async () => {
        const stored = await readParameters();
        client.setQueryData(parametersKey, stored);
        const changed = outdated(edits, stored);
        if (changed.length > 0) setConflicts(changed);
        else await send(edits);
      }),
    resolve: (values: Edits) => run(() => send(values)),
    tryFirst: () =>
      run(async () => {
        const sending = { ...requestOf(edits), headers: { 'x-dry-run': 'true' } };
        const { body } = await sendRequest({ ...sending, signal: AbortSignal.timeout(limitMs) });
        setEffect((body as { would: Effect }).would);
      }),
    forgetEffect: () => setEffect(undefined),
    forgetConflicts: () => setConflicts(undefined),
  };
}

export type Saving = ReturnType<typeof useSaving>;

import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { PortalError } from '../../../../../shared/client/refusals.ts';
import { type Received, type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import type { Effect } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { bodyOf, type Parameter, type ParametersAnswer, parametersOf } from './parameters.ts';
import { type Edits, outdated } from './use-edits.ts';

export const parametersKey = ['parameters', 'system_parameter'];

const limitMs = 30_000;

const path = '/api/webui/aggregator/tconfig';

export type Parameters = { parameters: readonly Parameter[]; etag: string | undefined };

const received = ({ body, etag }: Received): Parameters => ({
  parameters: parametersOf(body as ParametersAnswer),
  etag,
});

export async function readParameters(signal?: AbortSignal): Promise<Parameters> {
  const limit = AbortSignal.timeout(limitMs);
  const bounded = signal ? AbortSignal.any([signal, limit]) : limit;
  return received(await sendRequest({ method: 'GET', path, signal: bounded }));
}

/**
 * Only edited parameters are sent; the others keep their values.
 * @param etag of the parameters that the change depends on
 */
export const requestOf = (edits: Edits, etag?: string): Sending => ({
  method: 'PUT',
  path,
  body: bodyOf(new Map([...edits].map(([name, { value }]) => [name, value ?? null]))),
  headers: { ...(etag !== undefined && { 'if-match': etag }) },
});

/** Attempts to save while other administrators change further parameters. */
const tries = 5;

/** Saves edited parameters, tries it, and asks if another administrator has changed one of them meanwhile. */
export function useSaving(edits: Edits, onSaved: () => void) {
  const { problem, isBusy, run, forget } = useRequest();
  const client = useQueryClient();
  const [effect, setEffect] = useState<Effect>();
  const [conflicts, setConflicts] = useState<Parameter[]>();
  const send = async (values: Edits, etag: string | undefined): Promise<void> => {
    const signal = AbortSignal.timeout(limitMs);
    client.setQueryData(parametersKey, received(await sendRequest({ ...requestOf(values, etag), signal })));
    setConflicts(undefined);
    onSaved();
    toast(say('parameters_saved', { count: values.size }));
  };
  const save = async (values: Edits): Promise<void> => {
    let stored = client.getQueryData<Parameters>(parametersKey) ?? (await readParameters());
    for (let attempt = 1; ; attempt++) {
      const changed = outdated(values, stored.parameters);
      if (changed.length > 0) return setConflicts(changed);
      try {
        return await send(values, stored.etag);
      } catch (error) {
        if (!isOutdated(error) || attempt === tries) throw error;
        stored = await readParameters();
        client.setQueryData(parametersKey, stored);
      }
    }
  };
  return {
    ...{ problem, isBusy, effect, conflicts, forget },
    save: () => run(() => save(edits)),
    resolve: (values: Edits) => run(() => save(values)),
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

const isOutdated = (error: unknown): boolean =>
  error instanceof PortalError && error.code === 'precondition_failed';

export type Saving = ReturnType<typeof useSaving>;

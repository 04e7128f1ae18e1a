import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { PortalError } from '../../../../../shared/client/refusals.ts';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { type Conflict, conflictsOf, merged, type Values } from '../../records/form/form-values.ts';
import type { Form } from '../../records/form/use-form.ts';
import { say } from '../../texts.ts';
import { fields, readTheme, sendTheme, type Theme, type ThemeState, themeKey } from './theme.ts';

type Found = { conflicts: Conflict[]; theirs: ThemeState };

/** Saves the branding, and asks which values to keep if another administrator has changed it meanwhile. */
export function useSavingTheme(read: ThemeState, form: Form, onSaved: (state: ThemeState) => void) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [found, setFound] = useState<Found>();
  const original: Values = read.theme;
  const send = (values: Values, etag: string | undefined) =>
    run(async () => {
      try {
        const { body, etag: next } = await sendTheme(values, etag);
        const state = { theme: body as Theme, etag: next };
        client.setQueryData(themeKey, state);
        form.finish();
        setFound(undefined);
        onSaved(state);
        toast(say('theme_saved'));
      } catch (error) {
        if (!(error instanceof PortalError && error.code === 'precondition_failed')) throw error;
        const theirs = await readTheme();
        const conflicts = conflictsOf(fields, { mine: values, theirs: theirs.theme, original });
        setFound({ conflicts, theirs });
      }
    });
  const resolve = (chosen: Values) => {
    if (!found) return;
    const all = merged(fields, { mine: form.values, theirs: found.theirs.theme, original });
    const values = { ...all, ...chosen };
    form.replace(values);
    void send(values, found.theirs.etag);
  };
  return {
    ...{ problem, isBusy, resolve },
    conflicts: found?.conflicts,
    save: () => send(form.values, read.etag),
    forgetConflicts: () => setFound(undefined),
  };
}

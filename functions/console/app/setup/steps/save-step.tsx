import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf, type Effect } from '../../records/requests.ts';
import { addressOf, open } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { testQuery } from '../connection/test-query.ts';
import { type Draft, dropDraft } from '../draft.ts';
import { setupSegment } from '../entry.ts';
import { hasAccount, identityOf, settingsOf } from '../settings.ts';
import classes from '../setup.module.css';
import { useRefusals } from '../use-refusals.ts';
import type { Setup } from '../use-setup.ts';
import { IdentityChoice } from './account/identity-choice.tsx';
import { StepForm } from './step-form.tsx';
import { Summary } from './summary.tsx';
import { TrialDialog } from './trial-dialog.tsx';

type SetupBody = Operations['site.setUp']['asks']['body'];

const bodyOf = (draft: Draft, secret: string): SetupBody => ({
  site: { name: draft.name.trim(), uri: draft.uri },
  farm: { name: draft.farm.trim(), ...identityOf(draft) },
  dispatcher: settingsOf(draft, secret),
});

/** Creates site, farm and node, all of them or none. */
export function SaveStep({ setup }: { setup: Setup }): JSX.Element {
  const { draft, secret, refuse } = setup;
  const { problem, isBusy, run } = useRequest();
  const [effect, setEffect] = useState<Effect>();
  const [isTrying, setTrying] = useState(false);
  const tested = useQuery({ ...testQuery(settingsOf(draft, secret)), enabled: false });
  const create = useCreation(setup);
  const other = useRefusals(problem, refuse);
  const body = bodyOf(draft, secret);
  const tryFirst = () => {
    setTrying(true);
    void run(async () => setEffect(await trial(body))).finally(() => setTrying(false));
  };
  return (
    <StepForm
      step="save"
      title={say('setup_save_title')}
      hint={say('setup_save_hint')}
      next={say('setup_create')}
      isBusy={isBusy && !isTrying}
      actions={
        <>
          <CopyCommand command={() => curlOf({ method: 'POST', path: setupPath, body: withoutKey(body) })} />
          <Button look="plain" busy={isTrying} onClick={tryFirst}>
            {say('try_first')}
          </Button>
        </>
      }
      onNext={() => run(() => create(body))}
    >
      {tested.data?.success !== true && <Notice tone="warn" title={say('setup_untested')} />}
      <section class={classes.card}>
        <Summary draft={draft} hasSecret={secret !== ''} />
      </section>
      {hasAccount(draft) && <IdentityChoice setup={setup} labels={tested.data?.domains ?? []} />}
      {other && <ProblemNotice problem={other} />}
      {effect && <TrialDialog effect={effect} onClose={() => setEffect(undefined)} />}
    </StepForm>
  );
}

const setupPath = '/api/webui/aggregator/sites/setup';

/** Commands are kept in histories and messages. */
const withoutKey = ({ dispatcher, ...rest }: SetupBody): SetupBody => ({
  ...rest,
  dispatcher: {
    ...dispatcher,
    ...(dispatcher.health_key && { health_key: '…' }),
    ...(dispatcher.account_password && { account_password: '…' }),
  },
});

async function trial(body: SetupBody): Promise<Effect> {
  const answer: unknown = await portal.call('site.setUp', { body }, { headers: { 'x-dry-run': 'true' } });
  return (answer as { would: Effect }).would;
}

function useCreation({ setSecret }: Setup) {
  const client = useQueryClient();
  return async (body: SetupBody): Promise<void> => {
    const { site, farm, dispatcher } = await portal.call('site.setUp', { body });
    dropDraft();
    setSecret('');
    const ids = { site: site.id, farm: farm.id, node: dispatcher.id };
    // Back in the history must not lead to the form of a site that exists.
    open(addressOf([setupSegment, 'done'], ids), { isSame: true });
    await Promise.all(['site', 'farm', 'dispatcher'].map((type) => forgetKind(client, type)));
    await client.invalidateQueries({ queryKey: ['overview'] });
  };
}

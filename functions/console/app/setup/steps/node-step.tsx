import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { say } from '../../texts.ts';
import { testQuery } from '../connection/test-query.ts';
import { settingsOf } from '../settings.ts';
import classes from '../setup.module.css';
import { urlOf } from '../suggestions.ts';
import { useRefusals } from '../use-refusals.ts';
import type { Faults, Setup } from '../use-setup.ts';
import { StepField } from './step-field.tsx';
import { StepForm } from './step-form.tsx';

/** The address of the node. The next step shows what the portal finds there. */
export function NodeStep({ setup }: { setup: Setup }): JSX.Element {
  const { draft, set, refuse, go } = setup;
  const { problem, isBusy, run } = useRequest();
  const client = useQueryClient();
  const other = useRefusals(problem, refuse, '/dispatcher');
  const next = () => {
    const url = urlOf(draft.url);
    const missing = missingIn(url, draft.node);
    if (Object.keys(missing).length > 0) return refuse(missing);
    set({ url });
    return run(async () => {
      await client.fetchQuery({ ...testQuery(settingsOf({ ...draft, url })), staleTime: 0 });
      go('certificate');
    });
  };
  return (
    <StepForm
      step="node"
      title={say('setup_node_title')}
      hint={say('setup_node_text')}
      next={say('setup_look')}
      isBusy={isBusy}
      onNext={next}
    >
      <NodeFields setup={setup} />
      <p class={classes.quiet} role="status">
        {isBusy ? say('setup_looking', { url: draft.url }) : ''}
      </p>
      {other && <ProblemNotice problem={other} />}
    </StepForm>
  );
}

function missingIn(url: string, node: string): Faults {
  const required = say('setup_required');
  return {
    ...(url === '' ? { url: required } : !URL.canParse(url) && { url: say('setup_url_hint') }),
    ...(node.trim() === '' && { node: required }),
  };
}

const NodeFields = ({ setup }: { setup: Setup }): JSX.Element => (
  <>
    <StepField
      setup={setup}
      member="url"
      label={say('setup_url')}
      hint={say('setup_url_hint')}
      placeholder="https://node.example.com"
      // A trusted certificate is that of the former address.
      also={{ ca: null }}
    />
    <StepField
      setup={setup}
      member="node"
      label={say('setup_node_name')}
      hint={say('setup_node_name_hint')}
      maxLength={128}
    />
  </>
);

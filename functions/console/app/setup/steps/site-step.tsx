import type { JSX } from 'preact';
import { portal } from '../../../../../shared/web/client/session.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { say } from '../../texts.ts';
import { useRefusals } from '../use-refusals.ts';
import type { Faults, Setup } from '../use-setup.ts';
import { StepField } from './step-field.tsx';
import { StepForm } from './step-form.tsx';

/** The names of the site and of its farm. Names that are taken are found before the next step. */
export function SiteStep({ setup }: { setup: Setup }): JSX.Element {
  const { draft, refuse, go } = setup;
  const { problem, isBusy, run } = useRequest();
  const other = useRefusals(problem, refuse, '/site');
  const next = () => {
    const missing = missingIn(setup);
    if (Object.keys(missing).length > 0) return refuse(missing);
    return run(async () => {
      const body = { name: draft.name.trim(), uri: draft.uri };
      await portal.call('site.create', { body }, { headers: { 'x-dry-run': 'true' } });
      go('node');
    });
  };
  return (
    <StepForm
      step="site"
      title={say('setup_site_title')}
      hint={say('setup_site_hint')}
      isBusy={isBusy}
      onNext={next}
    >
      <SiteFields setup={setup} />
      {other && <ProblemNotice problem={other} />}
    </StepForm>
  );
}

const uriShape = /^[a-z0-9](-?[a-z0-9]){0,62}$/;

function missingIn({ draft: { name, uri, farm } }: Setup): Faults {
  const required = say('setup_required');
  return {
    ...(name.trim() === '' && { name: required }),
    ...(uri === '' ? { uri: required } : !uriShape.test(uri) && { uri: say('setup_uri_hint') }),
    ...(farm.trim() === '' && { farm: required }),
  };
}

const SiteFields = ({ setup }: { setup: Setup }): JSX.Element => (
  <>
    <StepField
      setup={setup}
      member="name"
      label={say('setup_name')}
      hint={say('setup_name_hint')}
      maxLength={128}
    />
    <StepField
      setup={setup}
      member="uri"
      label={say('setup_uri')}
      hint={say('setup_uri_hint')}
      maxLength={63}
    />
    <StepField
      setup={setup}
      member="farm"
      label={say('setup_farm')}
      hint={say('setup_farm_hint')}
      maxLength={128}
    />
  </>
);

import type { JSX } from 'preact';
import { say } from '../texts.ts';
import classes from './setup.module.css';
import { CertificateStep } from './steps/certificate-step.tsx';
import { DoneStep } from './steps/done-step.tsx';
import { KeyStep } from './steps/key-step.tsx';
import { KindStep } from './steps/kind-step.tsx';
import { NodeStep } from './steps/node-step.tsx';
import { SaveStep } from './steps/save-step.tsx';
import { SiteStep } from './steps/site-step.tsx';
import { Stepper } from './steps/stepper.tsx';
import { TestStep } from './steps/test-step.tsx';
import { type Setup, type StepName, useSetup } from './use-setup.ts';

const steps: Record<StepName, (props: { setup: Setup }) => JSX.Element> = {
  kind: KindStep,
  site: SiteStep,
  node: NodeStep,
  certificate: CertificateStep,
  key: KeyStep,
  test: TestStep,
  save: SaveStep,
  done: DoneStep,
};

/** Adds a site with its first farm and node, step by step. Nothing is created before the step that saves. */
export function SetupPage(): JSX.Element {
  const setup = useSetup();
  const Step = steps[setup.step];
  return (
    <div class={classes.page}>
      <div class={classes.heading}>
        <h1>{say('setup_title')}</h1>
        {setup.step !== 'done' && <p class={classes.quiet}>{say('setup_intro')}</p>}
      </div>
      <Stepper current={setup.step} />
      <Step key={setup.step} setup={setup} />
    </div>
  );
}

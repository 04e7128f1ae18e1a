import type { JSX } from 'preact';
import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import { kindOf, useKinds } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';
import type { Setup } from '../use-setup.ts';
import { StepForm } from './step-form.tsx';

/** The kinds that the API accepts. One that the catalogue does not have yet is the usual one. */
function useChoices() {
  const field = kindOf(useKinds(), 'dispatcher')?.create?.fields?.find(({ name }) => name === 'kind');
  return field?.choices ?? [{ value: 'dispatcher', label: say('setup_kind_dispatcher') }];
}

const textOf = (key: string): string | undefined => (hasText(key) ? sayText(key) : undefined);

/** What the site consists of. */
export function KindStep({ setup: { draft, set, go } }: { setup: Setup }): JSX.Element {
  const choices = useChoices();
  return (
    <StepForm
      step="kind"
      title={say('setup_kind_title')}
      hint={say('setup_kind_hint')}
      onNext={() => go('site')}
    >
      <div class={classes.choices} role="radiogroup" aria-label={say('setup_kind_title')}>
        {choices.map(({ value, label }) => (
          <label key={value} class={classes.choice}>
            <input
              type="radio"
              name="kind"
              value={value}
              checked={draft.kind === value}
              onChange={() => set({ kind: value as typeof draft.kind })}
            />
            <span>
              <b>{textOf(`setup_kind_${value}`) ?? label}</b>
              <span class={classes.quiet}>{textOf(`setup_kind_${value}_hint`)}</span>
            </span>
          </label>
        ))}
      </div>
      <div class={classes.picture} aria-hidden="true">
        <b>{say('setup_word_site')}</b>
        <span>{say('setup_word_site_hint')}</span>
        <b>{say('setup_word_farm')}</b>
        <span>{say('setup_word_farm_hint')}</span>
        <b>{say('setup_word_node')}</b>
        <span>{say('setup_word_node_hint')}</span>
      </div>
    </StepForm>
  );
}

import type { JSX } from 'preact';
import { Value } from '../../records/fields/value.tsx';
import { say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import type { Setting } from './domain-fields.ts';
import { type Params, valueAt } from './domain-values.ts';

type SettingsCardProps = { settings: readonly Setting[]; params: Params };

/** The settings of a domain with the labels of its form. Of a secret only whether it is stored. */
export const SettingsCard = ({ settings, params }: SettingsCardProps): JSX.Element => (
  <section class={classes.card}>
    <h2>{say('access_domain_settings')}</h2>
    <dl class={classes.facts}>
      {settings.map(({ field, path }) => (
        <div key={field.name}>
          <dt>{field.label}</dt>
          <dd>
            {field.type === 'secret' ? (
              storedText(params, path)
            ) : (
              <Value field={field} value={valueAt(params, path)} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

const storedText = (params: Params, path: readonly string[]): string =>
  valueAt(params, [...path.slice(0, -1), `${path.at(-1)}_set`]) === true ? '••••••' : '–';

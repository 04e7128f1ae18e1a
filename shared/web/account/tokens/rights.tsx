import type { JSX } from 'preact';
import { say } from '../texts.ts';
import { useProfile } from '../use-profile.ts';
import { byResource } from './expiry.ts';
import classes from './rights.module.css';

type RightsProps = { chosen: readonly string[]; onChoose: (permissions: readonly string[]) => void };

/** The permissions of an administrator, none of which a new token has at first. Their names are those of the API. */
export function Rights({ chosen, onChoose }: RightsProps): JSX.Element | null {
  const { data } = useProfile();
  if (!data || data.permissions.length === 0) return null;
  const toggle = (permission: string, isChosen: boolean) =>
    onChoose(isChosen ? [...chosen, permission] : chosen.filter((other) => other !== permission));
  return (
    <details class={classes.rights}>
      <summary>{say('token_rights_chosen', { count: chosen.length })}</summary>
      <p>{say('token_rights_text')}</p>
      <div class={classes.choices}>
        {byResource(data.permissions).map(([resource, actions]) => (
          <fieldset key={resource}>
            <legend>{resource}</legend>
            {actions.map((action) => (
              <label key={action}>
                <input
                  type="checkbox"
                  aria-label={`${resource}.${action}`}
                  checked={chosen.includes(`${resource}.${action}`)}
                  onChange={({ currentTarget }) => toggle(`${resource}.${action}`, currentTarget.checked)}
                />
                {action}
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </details>
  );
}

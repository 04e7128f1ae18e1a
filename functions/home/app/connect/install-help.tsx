import type { JSX } from 'preact';
import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import classes from './install-help.module.css';
import { type System, systemOf, systems } from './systems.ts';

/** What to install if nothing opens, first for the system of the browser. The addresses are set by the administrator. */
export function InstallHelp({ program }: { program: 'rdp' | 'spice' | 'link' }): JSX.Element {
  const own = systemOf(navigator.userAgent);
  const shown = own ? [own, ...systems.filter((system) => system !== own)] : systems;
  return (
    <details class={classes.help}>
      <summary>{say('nothing_opens')}</summary>
      <p>{say(program === 'link' ? 'nothing_opens_link' : 'nothing_opens_text')}</p>
      <dl>
        {shown.map((system) => (
          <div key={system}>
            <dt>{say(`system_${system}`)}</dt>
            <dd>
              {program !== 'link' && say(`${program}_${system}`)} <Download system={system} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Download({ system }: { system: System }): JSX.Element | null {
  const address = facts.downloads[system];
  if (!address) return null;
  return (
    <a href={address} rel="noreferrer">
      {say('get_program')}
    </a>
  );
}

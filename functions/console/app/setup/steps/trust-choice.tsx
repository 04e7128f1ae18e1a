import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Below, describedBy } from '../../../../../shared/web/ui/controls/field.tsx';
import { say } from '../../texts.ts';
import { Copyable } from '../connection/copyable.tsx';
import type { Presented, PresentedTls } from '../connection/test-query.ts';
import classes from '../setup.module.css';
import type { Setup } from '../use-setup.ts';

/** True if nothing but the unknown issuer speaks against the certificate. */
export const canBeTrusted = ({ faults }: PresentedTls): boolean =>
  faults.length > 0 && faults.every((fault) => fault === 'self_signed' || fault === 'unknown_ca');

type Choice = 'authority' | 'own' | 'other';

/** The certificate of the authority, if the node sends it. */
const authorityOf = ({ chain }: PresentedTls): Presented | undefined =>
  chain.slice(1).findLast(({ is_authority }) => is_authority);

/** Asks which certificate the portal trusts, after the fingerprint was compared. */
export function TrustChoice({ setup, tls }: { setup: Setup; tls: PresentedTls }): JSX.Element {
  const authority = authorityOf(tls);
  const [choice, setChoice] = useState<Choice>(
    setup.draft.pem !== '' ? 'other' : authority ? 'authority' : 'own',
  );
  const [isCompared, setCompared] = useState(false);
  const { pem } = setup.draft;
  const chosen = choice === 'authority' ? authority : tls.chain[0];
  const ca = choice === 'other' ? pem.trim() : (chosen?.pem ?? '');
  const choices: Choice[] = [...(authority ? (['authority'] as const) : []), 'own', 'other'];
  return (
    <fieldset class={classes.trust}>
      <legend>{say('setup_trust_title')}</legend>
      {choices.map((one) => (
        <label key={one} class={classes.choice}>
          <input type="radio" name="trust" checked={choice === one} onChange={() => setChoice(one)} />
          <span>
            <b>{say(`setup_trust_${one}`)}</b>
            <span class={classes.quiet}>{say(`setup_trust_${one}_hint`)}</span>
          </span>
        </label>
      ))}
      {choice === 'other' ? (
        <OwnPem pem={pem} onPem={(typed) => setup.set({ pem: typed })} fault={setup.faults.ca} />
      ) : (
        chosen && (
          <Comparison fingerprint={chosen.fingerprint} isCompared={isCompared} onCompared={setCompared} />
        )
      )}
      <div>
        <Button
          disabled={ca === '' || (choice !== 'other' && !isCompared)}
          onClick={() => setup.set({ ca, pem: choice === 'other' ? pem : '' })}
        >
          {say('setup_trust')}
        </Button>
      </div>
    </fieldset>
  );
}

type ComparisonProps = { fingerprint: string; isCompared: boolean; onCompared: (is: boolean) => void };

/** The command prints the fingerprint at the node. */
const command = 'openssl x509 -in <file> -noout -fingerprint -sha256';

const Comparison = ({ fingerprint, isCompared, onCompared }: ComparisonProps): JSX.Element => (
  <div class={classes.comparison}>
    <p>{say('setup_compare')}</p>
    <Copyable label={say('setup_fingerprint')} value={fingerprint} isCode={true} />
    <Copyable label={say('setup_command')} value={command} isCode={true} />
    <label class={classes.check}>
      <input
        type="checkbox"
        checked={isCompared}
        onChange={({ currentTarget }) => onCompared(currentTarget.checked)}
      />
      {say('setup_compared')}
    </label>
  </div>
);

type OwnPemProps = { pem: string; onPem: (pem: string) => void; fault: string | undefined };

const OwnPem = ({ pem, onPem, fault }: OwnPemProps): JSX.Element => (
  <div class={classes.field}>
    <label for="setup-ca">{say('setup_pem')}</label>
    <textarea
      id="setup-ca"
      class={classes.pem}
      rows={6}
      maxLength={16_384}
      spellcheck={false}
      placeholder="-----BEGIN CERTIFICATE-----"
      value={pem}
      {...describedBy('setup-ca', say('setup_pem_hint'), fault)}
      onInput={({ currentTarget }) => onPem(currentTarget.value)}
    />
    <Below id="setup-ca" hint={say('setup_pem_hint')} fault={fault} />
  </div>
);

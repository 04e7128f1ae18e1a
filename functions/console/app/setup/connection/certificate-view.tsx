import type { JSX } from 'preact';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { say } from '../../texts.ts';
import classes from './connection.module.css';
import { Copyable } from './copyable.tsx';
import type { Presented, PresentedTls } from './test-query.ts';

const mostNames = 6;

/** The certificate that a node presents, with those of its issuers. */
export function CertificateView({ tls: { chain, protocol } }: { tls: PresentedTls }): JSX.Element {
  const [own, ...issuers] = chain;
  if (!own) return <p>{say('setup_no_certificate')}</p>;
  return (
    <div class={classes.certificate}>
      <Facts certificate={own} protocol={protocol} />
      {issuers.length > 0 && (
        <details>
          <summary>{say('setup_chain', { count: issuers.length })}</summary>
          {issuers.map((issuer) => (
            <Facts key={issuer.fingerprint} certificate={issuer} />
          ))}
        </details>
      )}
    </div>
  );
}

function Facts({ certificate, protocol }: { certificate: Presented; protocol?: string }): JSX.Element {
  const { subject, issuer, names, not_before, not_after, fingerprint } = certificate;
  const more = names.length - mostNames;
  const shown = names.slice(0, mostNames).join(', ');
  const rows: [string, string][] = [
    [say('setup_subject'), subject],
    [say('setup_issuer'), certificate.is_self_signed ? say('setup_itself') : issuer],
    [say('setup_names'), more > 0 ? `${shown}, ${say('and_more', { more })}` : shown || '–'],
    [say('setup_valid'), say('setup_validity', { from: momentText(not_before), to: momentText(not_after) })],
    ...(protocol === undefined ? [] : [[say('setup_protocol'), protocol] satisfies [string, string]]),
  ];
  return (
    <>
      <dl class={classes.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Copyable label={say('setup_fingerprint')} value={fingerprint} isCode={true} />
    </>
  );
}

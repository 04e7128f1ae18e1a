import { Buffer } from 'node:buffer';
import { createTransport } from 'nodemailer';
import { bareHost } from '../../kernel/addresses/hosts.ts';

/** A mail in plain text. */
type Mail = { to: readonly string[]; subject: string; text: string };

export type Mailer = {
  /** Resolves when the server has accepted the mail. @throws Error otherwise */
  send(mail: Mail): Promise<void>;
};

/** Time limits in milliseconds. */
const connectMs = 10_000;
const silenceMs = 20_000;

/**
 * Sends mails through an SMTP server. `smtps://` begins with TLS, `smtp://` requires STARTTLS; the certificate is always
 * verified. Headers are encoded by nodemailer, which removes line breaks from them.
 * @param url with user and password, if the server requires a login
 */
export function createMailer(url: string, from: string): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const isSecure = protocol === 'smtps:';
  const transport = createTransport({
    host: bareHost(hostname),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure,
    ...(username !== '' && { auth: login }),
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, subject, text }) => {
      try {
        await transport.sendMail({
          ...{ from, to: [...to], subject, text },
          // Programs that answer mails by themselves must not answer (RFC 3834).
          headers: { 'auto-submitted': 'auto-generated' },
        });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(withoutLogin(reason, login));
      }
    },
  };
}

/** Replaces a password, also as SMTP sends it: servers may repeat the command that they refuse. */
function withoutLogin(reason: string, { user, pass }: { user: string; pass: string }): string {
  if (pass === '') return reason;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const forms = [base64(`\0${user}\0${pass}`), base64(pass), pass];
  return forms.reduce((text, form) => text.replaceAll(form, '…'), reason);
}

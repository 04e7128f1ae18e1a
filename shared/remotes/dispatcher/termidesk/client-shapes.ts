import { z } from 'zod';
import { Host } from '../../../shapes/addresses.ts';
import { sessionStates, unknown } from '../rows.ts';
import { flag, line, optional, port, seconds, stored, text, word } from './members.ts';

/* Responses of dispatcher nodes. */

export const Authorization = z.object({
  // The token is sent in a header, so only visible ASCII is allowed.
  token: z.string().regex(/^[\x21-\x7e]{1,4096}$/),
  expires_in: seconds.min(1),
});

const Domain = z.object({ authUuid: line(64).min(1), authSmallName: line(64), auth: line(256) });
export const Domains = z.array(Domain).max(1000);

export const Health = z.object({
  status: z.enum(['pass', 'fail']),
  version: optional(line(64)),
  description: text(256),
});

const ServiceSession = z.object({
  session_uuid: z.guid(),
  state: z
    .enum(sessionStates)
    .nullish()
    .catch(unknown)
    .transform((state) => state ?? unknown),
});

/** Only the `uuid` of a service is required. In a state that the portal does not support, no connection is made. */
export const Service = z.object({
  uuid: z.guid(),
  name: optional(line(256).min(1)),
  description: text(1024),
  protocols: z
    .array(word)
    .max(16)
    .nullish()
    .transform((protocols) => protocols ?? []),
  state: z
    .enum(['ready', 'busy', 'maintenance', 'unavailable', unknown])
    .nullish()
    .transform((state) => state ?? unknown),
  in_use: flag,
  maintenance: z
    .boolean()
    .nullish()
    .transform((value) => value ?? null),
  maintenance_message: optional(stored(1024)),
  sessions: z
    .array(ServiceSession)
    .max(100)
    .nullish()
    .transform((sessions) => sessions ?? []),
});
export const ServicePage = z.object({
  items: z.array(z.unknown()).max(1000),
  next: z.string().min(1).max(4096).nullish(),
});

const method = z
  .enum(['new', 'legacy'])
  .nullish()
  .transform((value) => value ?? 'new');

const Redirections = z.object({
  clipboard: optional(z.boolean()),
  drives: optional(z.boolean()),
  printers: optional(z.boolean()),
  smartcards: optional(z.boolean()),
  usb: optional(z.boolean()),
  audio: optional(z.boolean()),
  microphone: optional(z.boolean()),
  webcam: optional(z.boolean()),
});

const Rdp = z.object({
  screen_size: optional(line(64)),
  color_depth: optional(z.number().int().min(8).max(64)),
  multimon: optional(z.boolean()),
  redirect: optional(Redirections),
  certificate_fingerprint: optional(line(256)),
});

const Spice = z.object({
  tls_port: optional(port),
  /** PEM; the only text that may contain line ends. */
  ca: optional(z.string().max(65_536)),
  host_subject: optional(line(1024)),
  proxy: optional(line(512)),
  secure_channels: optional(z.array(word).max(32)),
  usb_redirection: optional(z.boolean()),
  fullscreen: optional(z.boolean()),
  title: optional(line(256)),
});

export const Connection = z.object({
  protocol: z.enum(['rdp', 'spice']),
  method,
  session_uuid: optional(z.guid()),
  host: Host,
  port,
  username: line(256),
  domain: line(256)
    .nullish()
    .transform((value) => value ?? ''),
  /** One-time password, valid for this connection only. */
  password: optional(line(1024)),
  expires_in: seconds,
  rdp: optional(Rdp),
  spice: optional(Spice),
});

export const Readiness = z.object({
  verdict: z.enum(['connect', 'wait', 'abandon']),
  method,
  protocol: word,
  ready: z.boolean(),
  state: word,
  reason_code: word,
  message: optional(stored(1024)),
  retry_after_ms: optional(z.number().int().min(0).max(3_600_000)),
  percent: optional(z.number().min(0).max(100)),
});

export const Reconnection = z.object({ link: line(2048).min(1), expires_in: seconds });

/** The body of a 409 response for a service that will be ready later. Other members are dropped. */
export const Preparation = z.object({
  code: z.literal('service_in_preparation'),
  reason_code: word.catch('preparing'),
  percent: z.number().min(0).max(100).optional().catch(undefined),
  retry_after_ms: z.number().int().min(0).max(3_600_000).catch(5000),
});

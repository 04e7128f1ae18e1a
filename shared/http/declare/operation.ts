import { z } from 'zod';
import type { Access } from '../../access/guard.ts';
import type { BaseDeps } from '../../context/context.ts';
import type {
  AccountPrincipal,
  Anonymous,
  PeerPrincipal,
  Principal,
  SignedIn,
  UserPrincipal,
} from '../../context/principal.ts';
import { type ErrorCode, type FieldError, invalid, notFound } from '../../kernel/errors.ts';
import { fieldErrors, unknownParameter } from '../../shapes/field-errors.ts';
import { reversedRanges } from '../../shapes/ranges.ts';
import type { RequestCtx } from '../context.ts';
import { Document } from '../serve/answer.ts';
import type { Conditions } from '../serve/conditions.ts';
import { isPage, withKnownQuery } from './page-query.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Shape = z.ZodType;

/** Everything about an endpoint except its handler. The guard, validation, documents and tests are derived from it. */
export type Declaration<
  P extends Shape,
  Q extends Shape,
  B extends Shape,
  A extends Access,
  D extends BaseDeps = never,
  M extends Principal = Principal,
  C extends string = string,
> = {
  /** `resource.verb`. Documents, logs, metrics and test titles use the same text. */
  id: string;
  route: `${Method} /${string}`;
  access: A;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  /** If absent, the operation takes no body. */
  body?: { required: B } | { optional: B };
  /** The body is a form (`application/x-www-form-urlencoded`), or also JSON. All of its members are texts. */
  form?: true | 'or JSON';
  /** Size limit of the body in bytes. Default: `bodyLimitOf`. */
  maxBodyBytes?: number;
  /** Limit of members and elements in the body. Default: `jsonLimits.values`. */
  maxBodyValues?: number;
  /** Time limit in milliseconds for receiving the body. Default: that of the server. */
  maxBodyMs?: number;
  /**
   * The operation is part of SCIM (RFC 7644): its token is a bearer token, and bodies, responses and errors have the media type
   * and the forms of SCIM.
   */
  protocol?: 'scim';
  /** Authentication of a caller without a session. */
  credential?: Credential<D, Input<P, Q, B>, M, C>;
  /** Status and shape of a success. `null` is an empty body, or a body of one of the types in `alsoReturns`. */
  returns: readonly [status: 200 | 201 | 202 | 204, shape: Shape | null];
  /** A second response that is not an error; the response then sets its status. `null` is an empty body. */
  orReturns?: readonly [status: 200 | 302 | 303 | 400 | 503, shape: Shape | null];
  /** Media type of a success that is not JSON. The shape is that of the text. */
  mediaType?: string;
  /** Further media types of a success besides JSON. */
  alsoReturns?: readonly string[];
  /** Error codes in addition to those that are derived from the declaration. */
  errors?: readonly ErrorCode[];
  /** Error codes that are derived from the declaration, but that the operation never returns. */
  exceptErrors?: readonly ErrorCode[];
  /** Rows belong to sites, so a caller with a limited scope can write rows within it. */
  sited?: true;
  /** Requires its permission for all sites, even to read. */
  allSites?: true;
  /** Supports `If-Match` and `If-None-Match`. */
  conditional?: true;
  /** A list or a report, which a read replica can answer with data that are some seconds old. */
  mayLag?: true;
  duringPasswordChange?: true;
  /** Requires only a session, and also serves peer aggregators, which do not have a user account. */
  forPeers?: true;
  /** Concerns the password or sessions of a login, so service tokens are rejected. */
  needsLogin?: true;
  /**
   * The operation has a write method but changes nothing in this portal, or only if the request has a body. It needs no
   * audit event, and a limited scope allows it like a read.
   */
  readsOnly?: true | 'without body';
  /** The operation takes effect on a dispatcher, so a transaction can neither contain it nor roll it back. */
  effects?: 'dispatcher';
  /** A read with side effects. For HEAD, only the input is checked. */
  begins?: true;
  /** Secret members of the response that are returned once. A replay contains `<member>_set` instead. */
  shownOnce?: readonly string[];
  /**
   * The session is a browser session, identified by its cookie: on any portal, or on the administrator portal, where
   * `administrator or token` also accepts a session token. A page redirects users without a session to the sign-in
   * page.
   */
  browser?: 'any' | 'administrator' | 'administrator or token';
  /** The page that a refusal offers instead of a repetition, for a request that can be sent only once. */
  startsAt?: '/signin';
  /**
   * Requests that count towards the rate limit of the address. Default: all. With `failures`, the operation verifies
   * the token of a machine, and a valid token is not rejected because of other requests from the same address.
   */
  rateLimit?: 'failures' | 'none';
};

/**
 * Authentication of a caller without a session. A machine authenticates with a header before the body is read, or with
 * its input after validation; the principal of the machine then replaces the anonymous one. A `member` of the body
 * replaces a session where the operation requires one: the caller is admitted as anonymous, and the handler checks the
 * member.
 */
type Credential<D extends BaseDeps, I, M extends Principal, C extends string> =
  | { in: 'member'; member: C }
  | { in: 'header'; prove: (ctx: RequestCtx<D>) => Promise<M> }
  | { in: 'input'; prove: (ctx: RequestCtx<D>, input: I) => Promise<M> };

export type Input<P extends Shape, Q extends Shape, B extends Shape> = {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  conditions: Conditions;
};

/** The parsed request before validation against its shape. */
export type RawInput = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown> | undefined;
  conditions: Conditions;
  /** Errors that do not depend on the shape: repeated parameters, texts that cannot be stored, a missing body. */
  faults: readonly FieldError[];
  /** The request method is HEAD, so only the headers are returned. */
  isHead: boolean;
};

/** An endpoint as modules register it. */
export type Operation<D extends BaseDeps = BaseDeps> = Omit<
  Declaration<Shape, Shape, Shape, Access, D>,
  'route'
> & {
  method: Method;
  path: string;
  run: (ctx: RequestCtx<D>, raw: RawInput) => Promise<unknown>;
};

/** True for an operation that makes changes. */
export const isWrite = ({ method, readsOnly }: Pick<Operation<never>, 'method' | 'readsOnly'>): boolean =>
  method !== 'GET' && readsOnly !== true;

/** @template C member of `credential`; @template F `forPeers`; @template L `needsLogin`; @template M of `credential` */
type PrincipalFor<A extends Access, C, F extends boolean, L extends boolean, M extends Principal> = [
  M,
] extends [never]
  ? A extends 'public'
    ? Anonymous | SignedIn
    : SessionFor<A, F, L> | ([C] extends [never] ? never : Anonymous)
  : M;
type SessionFor<A extends Access, F extends boolean, L extends boolean> = A extends 'signed-in'
  ? (L extends true ? UserPrincipal : AccountPrincipal) | (F extends true ? PeerPrincipal : never)
  : SignedIn;

/**
 * Binds `endpoint` to the dependencies of a module. A handler receives `(ctx, input)` and returns plain data, or an
 * `Answer` if the response has headers or a revision.
 */
export function endpointIn<D extends BaseDeps>() {
  return function endpoint<
    A extends Access,
    P extends Shape = never,
    Q extends Shape = never,
    B extends Shape = never,
    C extends string = never,
    F extends boolean = false,
    L extends boolean = false,
    M extends Principal = never,
  >(
    declaration: Declaration<P, Q, B, A, D, M, C> & { forPeers?: F; needsLogin?: L },
    handler: (ctx: RequestCtx<D, PrincipalFor<A, C, F, L, M>>, input: Input<P, Q, B>) => unknown,
  ): Operation<D> {
    const { route, credential, ...rest } = declaration;
    const [method, path] = route.split(' ') as [Method, string];
    const isHtml = isPage({ ...declaration, method });
    return {
      ...rest,
      method,
      path,
      ...(credential && { credential }),
      run: async (ctx, raw) => {
        const input = checkInput(declaration, isHtml ? withKnownQuery(raw, declaration.query) : raw);
        if (declaration.begins && raw.isHead) return new Document('', 'application/json');
        if (credential?.in === 'input') ctx.principal = await credential.prove(ctx, input);
        // The guard or the credential check has run, so the principal has a type that the declaration allows.
        return handler(ctx as RequestCtx<D, PrincipalFor<A, C, F, L, M>>, input);
      },
    };
  };
}

/** Without the input, an absent member cannot be distinguished from one of the wrong type. */
const reporting = { reportInput: true };

/** Checks the query and the body first (422 with all errors), then the path parameters (404). */
function checkInput<P extends Shape, Q extends Shape, B extends Shape>(
  { params, query, body }: Pick<Declaration<P, Q, B, Access>, 'params' | 'query' | 'body'>,
  raw: RawInput,
): Input<P, Q, B> {
  if (raw.faults.length > 0) throw invalid(...raw.faults);
  const shape = body && ('required' in body ? body.required : body.optional);
  const checkedQuery = query?.safeParse(raw.query, reporting);
  const checkedBody = raw.body === undefined ? undefined : shape?.safeParse(raw.body, reporting);
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const unknown = query ? [] : Object.keys(raw.query).map(parameterOfNone);
  const [inQuery, inBody] = [checkedQuery?.error, checkedBody?.error];
  if (unknown.length > 0 || inQuery || inBody)
    throw invalid(...unknown, ...fieldErrors(inQuery, '?', known), ...fieldErrors(inBody, '/'));
  const reversed = reversedRanges(query, checkedQuery?.data);
  if (reversed.length > 0) throw invalid(...reversed);
  const checkedParams = params?.safeParse(raw.params);
  if (checkedParams?.error) throw notFound();
  return {
    params: checkedParams?.data as z.output<P>,
    query: checkedQuery?.data as z.output<Q>,
    body: checkedBody?.data as z.output<B>,
    conditions: raw.conditions,
  };
}

const parameterOfNone = (name: string): FieldError => ({
  pointer: `?${name}`,
  code: 'unknown',
  detail: unknownParameter(name, []),
});

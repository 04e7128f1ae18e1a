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
import type { RequestCtx } from '../context.ts';
import { Document } from '../serve/answer.ts';
import type { Conditions } from '../serve/conditions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Shape = z.ZodType;

/** Everything about an endpoint but its code; guard, validation, documents and tests are derived from it. */
export type Declaration<
  P extends Shape,
  Q extends Shape,
  B extends Shape,
  A extends Access,
  D extends BaseDeps = never,
  M extends Principal = Principal,
  C extends string = string,
> = {
  /** `resource.verb`: the same string in documents, logs, metrics and test titles. */
  id: string;
  route: `${Method} /${string}`;
  access: A;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  /** Without it the operation takes no body. */
  body?: { required: B } | { optional: B };
  /** Bytes; `bodyLimitOf` gives the limit of an operation without it. */
  maxBodyBytes?: number;
  /** What proves a caller without a session. */
  credential?: Credential<D, Input<P, Q, B>, M, C>;
  /** The success status and its shape; `null` is an empty body, or one that `alsoReturns` tells all about. */
  returns: readonly [status: 200 | 201 | 202 | 204, shape: Shape | null];
  /** Another answer without an error; the answer then names its status. `null` is an empty body. */
  orReturns?: readonly [status: 200 | 503, shape: Shape | null];
  /** The media type of a success that is no JSON; its shape is that of the text. */
  mediaType?: string;
  /** Media types besides JSON that a success may have. */
  alsoReturns?: readonly string[];
  /** Codes besides those that follow from the rest of the declaration. */
  errors?: readonly ErrorCode[];
  /** Codes that follow from the declaration, but that the operation never answers. */
  exceptErrors?: readonly ErrorCode[];
  /** Rows belong to sites: a narrow scope may write those within it. */
  sited?: true;
  /** Needs its permission for all sites, even to read. */
  allSites?: true;
  /** Understands `If-Match` and `If-None-Match`. */
  conditional?: true;
  duringPasswordChange?: true;
  /** Needs no more than a session, and serves peer aggregators too, which have no user account. */
  forPeers?: true;
  /** Passwords, sessions and their ends belong to a login: service tokens are refused. */
  needsLogin?: true;
  /**
   * A write that changes nothing of ours, or nothing unless it carries a body, so that it needs no audit and, with a
   * narrow scope, no more than a read.
   */
  readsOnly?: true | 'without body';
  /** What it does, it does on a dispatcher: no transaction can hold it, nor take it back. */
  effects?: 'dispatcher';
  /** A read that begins something: HEAD gets no further than the check of its input. */
  begins?: true;
  /** Members of the answer that are shown this once; a replay says `<member>_set` instead. */
  shownOnce?: readonly string[];
  /**
   * The session is that of a browser, named by its cookie: on any portal, or on the administrator portal, where the token
   * of a session may be accepted besides. A page redirects a reader without a session to the sign-in page.
   */
  browser?: 'any' | 'administrator' | 'administrator or token';
  /**
   * Which requests count to the limit of the address: all of them unless given. `failures`: the operation verifies the
   * token of a machine, and a valid token is not refused for what others behind the same address send.
   */
  rateLimit?: 'failures' | 'none';
};

/**
 * What proves a caller without a session. A machine is proved by a header before the body is read, or by its input after
 * its shape was checked: the principal of the machine then replaces the anonymous one. A `member` of the body takes the
 * place of a session where the operation needs one: the caller is admitted as anonymous, and the handler judges the member.
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

/** The request as read from the wire, before its shape is checked. */
export type RawInput = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown> | undefined;
  conditions: Conditions;
  /** What is wrong with it whatever its shape: repeated parameters, texts that cannot be stored, a missing body. */
  faults: readonly FieldError[];
  /** Only the headers of the answer are asked for. */
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

/** True for an operation that changes something. */
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
 * Binds `endpoint` to the dependencies of a module. A handler gets `(ctx, input)` and returns plain data, or an
 * `Answer` when headers or a revision belong to it.
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
    return {
      ...rest,
      method,
      path,
      ...(credential && { credential }),
      run: async (ctx, raw) => {
        const input = checkInput(declaration, raw);
        if (declaration.begins && raw.isHead) return new Document('', 'application/json');
        if (credential?.in === 'input') ctx.principal = await credential.prove(ctx, input);
        // The guard, or the credential, has run: the principal is one that the declaration admits.
        return handler(ctx as RequestCtx<D, PrincipalFor<A, C, F, L, M>>, input);
      },
    };
  };
}

/** Without the input an absent member looks like one of the wrong type. */
const reporting = { reportInput: true };

/** Query and body first (422, all their faults at once), then path parameters (404). */
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

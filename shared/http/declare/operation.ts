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
  /** The credential that machines have in the place of a session. */
  credential?: Credential<D, Input<P, Q, B>, M>;
  /** The success status and its shape; `null` is an empty body, or one that `alsoReturns` tells all about. */
  returns: readonly [status: 200 | 201 | 202 | 204, shape: Shape | null];
  /** Another success with a shape of its own; the answer then names its status. */
  orReturns?: readonly [status: 200, shape: Shape];
  /** Without an error it may answer 503 as well, without a body: `new Answer(null, { status: 503 })`. */
  orUnavailable?: true;
  /** The media type of a success that is no JSON; its shape is that of the text. */
  mediaType?: string;
  /** Media types besides JSON that a success may have. */
  alsoReturns?: readonly string[];
  /** Codes besides those that follow from the rest of the declaration. */
  errors?: readonly ErrorCode[];
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
   * The member of the body that may take the place of a session: who has none, and brings that, is let in as anonymous,
   * and the operation itself judges what he brought.
   */
  insteadOfSession?: string;
  /** The member `locale` of the body names the language of the answer. */
  hasLocale?: true;
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
   * The session is that of a browser, and its cookie names it: any one, or one on the administrator portal. Without
   * one a page sends its reader to sign in.
   */
  browser?: 'any' | 'administrator';
  /** Besides the cookie, the token of a session of that portal will do. */
  orToken?: true;
  /** Does not count to the rate limits. */
  unmetered?: true;
  /**
   * Only refused requests count to the limit of the address. The operation verifies the token of a machine, and a valid
   * token is not refused for what others behind the same address send.
   */
  countsFailures?: true;
  /** Whatever is wrong with a request is told by this code alone: who tries values learns nothing of them. */
  refusesBy?: 'forbidden';
};

/**
 * The proof of a machine: its principal takes the place of the anonymous one. A header is judged before the body is
 * read, a member of the input after its shape was checked.
 */
type Credential<D extends BaseDeps, I, M extends Principal> =
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

/** @template C of `insteadOfSession`; @template F `forPeers`; @template L `needsLogin`; @template M of `credential` */
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
    declaration: Declaration<P, Q, B, A, D, M> & { insteadOfSession?: C; forPeers?: F; needsLogin?: L },
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
  const shape = body && ('required' in body ? body.required : body.optional);
  const checkedQuery = query?.safeParse(raw.query, reporting);
  const checkedBody = raw.body === undefined ? undefined : shape?.safeParse(raw.body, reporting);
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  const unknown = query ? [] : Object.keys(raw.query).map(parameterOfNone);
  const faults = [
    ...unknown,
    ...fieldErrors(checkedQuery?.error, '?', known),
    ...fieldErrors(checkedBody?.error, '/'),
  ];
  if (faults.length > 0) throw invalid(...faults);
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

import { streamingLambdaOf } from '../../shared/runtime/lambda.ts';
import { createAggregator } from './app.ts';
import { aggregatorDeps } from './deps.ts';

/** A page of 500 peers, each with keys and a certificate file, has up to 20 MB. */
export const handler = streamingLambdaOf({ create: createAggregator, depsOf: aggregatorDeps });

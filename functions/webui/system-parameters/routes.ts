import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { inItsLanguage } from '../../../shared/http/problem.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { base, endpoint } from '../deps.ts';
import { SystemParameters, SystemParametersWrite } from './schema.ts';
import { describeParameters, writeParameters } from './usecases.ts';

export const systemParameterOperations = [
  endpoint(
    {
      id: 'systemParameters.get',
      route: `GET ${base}/tconfig`,
      access: 'system_parameters.read',
      summary: 'List system parameters',
      returns: [200, SystemParameters],
    },
    async (ctx) =>
      new Answer(describeParameters(ctx, await findOverrides(ctx.deps.db)), {
        headers: inItsLanguage(ctx.language),
      }),
  ),
  endpoint(
    {
      id: 'systemParameters.replace',
      route: `PUT ${base}/tconfig`,
      access: 'system_parameters.update',
      summary: 'Update system parameters',
      description:
        'Absent parameters stay unchanged. Either all given parameters are saved or none. Changes take effect on all portals within 5 seconds.',
      body: { required: SystemParametersWrite },
      returns: [200, SystemParameters],
    },
    (ctx, { body }) => writeParameters(ctx, body),
  ),
];

import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { base, endpoint } from '../deps.ts';
import { SystemParameters, SystemParametersWrite } from './schema.ts';
import { answerParameters, writeParameters } from './usecases.ts';

export const systemParameterOperations = [
  endpoint(
    {
      id: 'systemParameters.get',
      route: `GET ${base}/tconfig`,
      access: 'system_parameters.read',
      summary: 'List system parameters',
      conditional: true,
      returns: [200, SystemParameters],
    },
    async (ctx) => answerParameters(ctx, await findOverrides(ctx.deps.db)),
  ),
  endpoint(
    {
      id: 'systemParameters.replace',
      route: `PUT ${base}/tconfig`,
      access: 'system_parameters.update',
      summary: 'Update system parameters',
      description:
        'Absent parameters stay unchanged. Either all given parameters are saved or none. Changes take effect on all portals within 5 seconds.',
      conditional: true,
      body: { required: SystemParametersWrite },
      returns: [200, SystemParameters],
    },
    (ctx, { body, conditions }) => writeParameters(ctx, conditions, body),
  ),
];

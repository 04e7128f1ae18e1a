import { systemParameters } from '../../../shared/kernel/system-parameters.ts';
import { listedSite, type ProductStand } from '../product/stand.ts';
import { type TripOperation, tripOperations } from '../trips/operations.ts';

/** An operation under settings that are in force while it is measured. */
export type CapacityOperation = TripOperation & {
  begin?: () => Promise<unknown>;
  end?: () => Promise<unknown>;
};

const freshness = 'aggregator.services_fresh_s';
export const expiredList = 'servicesList, expired';
export const unchangedList = 'servicesList, 304';

/** The operations of the round trips, and lists of services as clients poll them. */
export const capacityOperations = (stand: ProductStand): CapacityOperation[] => [
  ...tripOperations(stand),
  ...polls(stand),
];

function polls({ api, userToken: token, adminToken }: ProductStand): CapacityOperation[] {
  const path = `GET /aggregator/api/client/v7.0/${listedSite}/servicesList/`;
  const read = () => api.send(path, { token });
  const etagOf = async () => String((await read()).headers.etag);
  const validate = (etag: string) => api.send(path, { token, headers: { 'if-none-match': etag } });
  const setFresh = async (value: number) => {
    const body = { aggregator: { services_fresh_s: { value } } };
    const { status } = await api.send('PUT /api/webui/aggregator/tconfig', { token: adminToken, body });
    if (status !== 200) throw new Error(`the parameter was not accepted: ${status}`);
  };
  const expired = { begin: () => setFresh(0), end: () => setFresh(systemParameters[freshness].default) };
  return [
    { name: unchangedList, prepare: etagOf, run: validate },
    { name: expiredList, run: read, ...expired },
    { name: `${expiredList}, 304`, prepare: etagOf, run: validate, ...expired },
  ];
}

import { findAdminToken } from '../api/admin-token.ts'
import { listItems } from '../api/list-items.ts'
import { type ManagementApi, managementApi } from '../api/management-api.ts'
import { Failure } from '../failure.ts'
import { type CheckedDestination, deliveryChecks } from './delivery-checks.ts'
import { failedCheck, type Finding } from './finding.ts'
import { isHere, type Patient, serviceAt } from './service-at.ts'

const AT_ONCE = 4

/** The checks of the deliveries of the service, if it runs. */
export async function deliveryFindings(
  patient: Patient,
): Promise<Readonly<Record<string, Finding>>> {
  // The check of the service says that it does not run.
  if ((await serviceAt(patient)) === undefined) return {}
  const token = tokenOf(patient)
  if (token instanceof Failure)
    return {
      deliveries: {
        ...failedCheck(token),
        ok: true,
        warning: true,
        detail: `not checked: ${token.message}`,
      },
    }
  const api = managementApi(patient.url, token)
  const destinations: CheckedDestination[] = []
  const listed = await listItems((page) => api.listDestinations(page))
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    const some = listed.slice(start, start + AT_ONCE)
    destinations.push(...(await Promise.all(some.map(({ id }) => found(api, id)))).flat())
  }
  const { data: failures } = await api.listFailures()
  return deliveryChecks(destinations, failures, Date.now())
}

function tokenOf(patient: Patient): string | Failure {
  const { config, url, tokenFile } = patient
  if (tokenFile === undefined && config.adminToken) return config.adminToken.reveal()
  try {
    // The token in the folder belongs to the service of this machine: no other one gets it.
    return findAdminToken({
      url,
      ...(tokenFile !== undefined && { tokenFile }),
      ...(isHere(patient) && { dataDir: config.dataDir }),
    })
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Empty if it has been removed since it was listed. */
async function found(api: ManagementApi, id: string): Promise<CheckedDestination[]> {
  try {
    return [await api.getDestination(id)]
  } catch (error) {
    if (error instanceof Failure && error.meaning === 'not found') return []
    throw error
  }
}

import { findAdminToken } from '../api/admin-token.ts'
import { listItems } from '../api/list-items.ts'
import { type ManagementApi, managementApi } from '../api/management-api.ts'
import { Failure } from '../failure.ts'
import { type CheckedDestination, deliveryChecks } from './delivery-checks.ts'
import { failedCheck, type Finding } from './finding.ts'
import { type DoctorTarget, isLocal, serviceAt } from './service-at.ts'

const MAX_CONCURRENT = 4

/** Checks the deliveries of a running service. */
export async function deliveryFindings(
  target: DoctorTarget,
): Promise<Readonly<Record<string, Finding>>> {
  // The service check reports an unreachable service.
  if ((await serviceAt(target)) === undefined) return {}
  const token = tokenOf(target)
  if (token instanceof Failure)
    return {
      deliveries: {
        ...failedCheck(token),
        ok: true,
        warning: true,
        detail: `not checked: ${token.message}`,
      },
    }
  const api = managementApi(target.url, token)
  const destinations: CheckedDestination[] = []
  const listed = await listItems((page) => api.listDestinations(page))
  for (let start = 0; start < listed.length; start += MAX_CONCURRENT) {
    const some = listed.slice(start, start + MAX_CONCURRENT)
    destinations.push(...(await Promise.all(some.map(({ id }) => found(api, id)))).flat())
  }
  const { data: failures } = await api.listFailures()
  return deliveryChecks(destinations, failures, Date.now())
}

function tokenOf(target: DoctorTarget): string | Failure {
  const { config, url, tokenFile } = target
  if (tokenFile === undefined && config.adminToken) return config.adminToken.reveal()
  try {
    // The token in the folder is only for the service on this machine.
    return findAdminToken({
      url,
      ...(tokenFile !== undefined && { tokenFile }),
      ...(isLocal(target) && { dataDir: config.dataDir }),
    })
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Empty if it was deleted in the meantime. */
async function found(api: ManagementApi, id: string): Promise<CheckedDestination[]> {
  try {
    return [await api.getDestination(id)]
  } catch (error) {
    if (error instanceof Failure && error.meaning === 'not found') return []
    throw error
  }
}

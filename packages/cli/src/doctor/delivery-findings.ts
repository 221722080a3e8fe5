import type { Config } from '@hookline/server'
import { findAdminToken } from '../api/admin-token.ts'
import { listItems } from '../api/list-items.ts'
import { type ManagementApi, managementApi } from '../api/management-api.ts'
import { Failure } from '../failure.ts'
import { type CheckedDestination, deliveryChecks } from './delivery-checks.ts'
import type { Finding } from './finding.ts'
import { adminUrl, serviceAt } from './service-at.ts'

const AT_ONCE = 4

/** The checks of the deliveries of the service that runs with this configuration, if one does. */
export async function deliveryFindings(config: Config): Promise<Readonly<Record<string, Finding>>> {
  if ((await serviceAt(config)) === undefined)
    return { deliveries: { ok: true, detail: 'not checked: the service does not run' } }
  const token = tokenOf(config)
  if (token instanceof Failure)
    return { deliveries: { ok: true, warning: true, detail: `not checked: ${token.message}` } }
  const api = managementApi(adminUrl(config), token)
  const destinations: CheckedDestination[] = []
  const listed = await listItems((page) => api.listDestinations(page))
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    const some = listed.slice(start, start + AT_ONCE)
    destinations.push(...(await Promise.all(some.map(({ id }) => found(api, id)))).flat())
  }
  return deliveryChecks(destinations, Date.now())
}

function tokenOf(config: Config): string | Failure {
  if (config.adminToken) return config.adminToken.reveal()
  try {
    return findAdminToken({ url: adminUrl(config), dataDir: config.dataDir })
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

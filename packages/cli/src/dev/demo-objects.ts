import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withCurrentConfiguration } from '../api/configured-webhook.ts'
import type { Source } from '../api/generated/management-client.ts'
import { listItems } from '../api/list-items.ts'
import type { ManagementApi } from '../api/management-api.ts'

const NAME = 'Demo'

/** Creates or updates the demo source and its destination. */
export async function demoObjects(
  api: ManagementApi,
  webhook: { readonly url: string; readonly secret: string },
): Promise<{ sourceId: string; writeKey: string; destinationId: string }> {
  const source = await demoSource(api)
  const { id: sourceId } = source
  const destinations = await listItems((page) => api.listDestinations({ sourceId, ...page }))
  const earlier = destinations.find(({ name }) => name === NAME)
  const webhooks = [
    withCurrentConfiguration({ url: webhook.url }, earlier?.settings.webhooks ?? []),
  ]
  const change = { enabled: true, settings: { webhooks, sharedSecret: webhook.secret } }
  const destination =
    earlier === undefined
      ? await api.createDestination({ sourceId, ...change, type: 'Webhooks', name: NAME })
      : await api.changeDestination(earlier.id, change)
  return { sourceId, writeKey: source.writeKeys[0]!.key, destinationId: destination.id }
}

/** The shared secret of the demo destination, and the file that stores it. */
export function demoSecret(dataDir: string): { readonly file: string; readonly secret: string } {
  const file = join(dataDir, 'dev-shared-secret')
  if (existsSync(file)) return { file, secret: readFileSync(file, 'utf8').trim() }
  const secret = randomBytes(24).toString('base64url')
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return { file, secret }
}

async function demoSource(api: ManagementApi): Promise<Source> {
  const sources = await listItems(api.listSources)
  const earlier = sources.find(({ name, writeKeys }) => name === NAME && writeKeys.length > 0)
  if (earlier === undefined) return api.createSource({ name: NAME })
  return earlier.enabled ? earlier : api.changeSource(earlier.id, { enabled: true })
}

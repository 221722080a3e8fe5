import type { Source } from '../api/generated/management-client.ts'
import { listItems } from '../api/list-items.ts'
import type { ManagementApi } from '../api/management-api.ts'

const NAME = 'Demo'

export interface DemoObjects {
  readonly sourceId: string
  readonly writeKey: string
  readonly destinationId: string
}

/** Makes a source and a destination that delivers to `url`, or finds those made before and points them there. */
export async function demoObjects(
  api: ManagementApi,
  webhook: { readonly url: string; readonly secret: string },
): Promise<DemoObjects> {
  const source = await demoSource(api)
  const settings = { webhooks: [{ url: webhook.url }], sharedSecret: webhook.secret }
  const { id: sourceId } = source
  const made = await listItems((page) => api.listDestinations({ sourceId, ...page }))
  const before = made.find(({ name }) => name === NAME)
  const change = { enabled: true, settings }
  const destination =
    before === undefined
      ? await api.createDestination({ sourceId, ...change, type: 'Webhooks', name: NAME })
      : await api.changeDestination(before.id, change)
  return {
    sourceId,
    writeKey: source.writeKeys[0]!.key,
    destinationId: destination.id,
  }
}

async function demoSource(api: ManagementApi): Promise<Source> {
  const sources = await listItems(api.listSources)
  const before = sources.find(({ name, writeKeys }) => name === NAME && writeKeys.length > 0)
  if (before === undefined) return api.createSource({ name: NAME })
  return before.enabled ? before : api.changeSource(before.id, { enabled: true })
}

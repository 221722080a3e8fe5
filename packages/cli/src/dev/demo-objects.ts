import type { ApiClient } from '../api/api-client.ts'
import type { DestinationShown, SourceShown } from '../api/resources.ts'

const NAME = 'Demo'

export interface DemoObjects {
  readonly sourceId: string
  readonly writeKey: string
  readonly destinationId: string
}

/** Makes a source and a destination that delivers to `url`, or finds those made before and points them there. */
export async function demoObjects(
  api: ApiClient,
  webhook: { readonly url: string; readonly secret: string },
): Promise<DemoObjects> {
  const source = await demoSource(api)
  const settings = { webhooks: [{ url: webhook.url }], sharedSecret: webhook.secret }
  const query = { sourceId: source.id }
  const made = await api.list<DestinationShown>('destinations', query)
  const before = made.find(({ name }) => name === NAME)
  const change = { enabled: true, settings }
  const destination =
    before === undefined
      ? await api.post<DestinationShown>('destinations', {
          ...query,
          ...change,
          type: 'Webhooks',
          name: NAME,
        })
      : await api.patch<DestinationShown>(`destinations/${before.id}`, change)
  return {
    sourceId: source.id,
    writeKey: source.writeKeys[0]!.key,
    destinationId: destination.id,
  }
}

async function demoSource(api: ApiClient): Promise<SourceShown> {
  const sources = await api.list<SourceShown>('sources')
  const before = sources.find(({ name, writeKeys }) => name === NAME && writeKeys.length > 0)
  if (before === undefined) return api.post<SourceShown>('sources', { name: NAME })
  return before.enabled ? before : api.patch(`sources/${before.id}`, { enabled: true })
}

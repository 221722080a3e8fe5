import type { api } from '../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { titleOf } from '../../domain/events/event-summary.ts'

type ListedRequest = Awaited<ReturnType<typeof api.listInspectedRequests>>['data'][number]

export type { ListedRequest }

/** The filters in the URL of the page. */
export type FilterName = 'destination' | 'delivery'

export type RequestFilters = Readonly<Record<FilterName, string | undefined>>

/** The destinations with a webhook that leads to the inspector: any path of its URL does. */
export function destinationsTo(
  inspectorUrl: string,
  destinations: readonly Destination[],
): readonly Destination[] {
  const origin = originOf(inspectorUrl)
  return destinations.filter(({ settings }) =>
    settings.webhooks.some(({ url }) => originOf(url) === origin),
  )
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}

/** What a request is called: its event; its first line where its body has none. */
export function requestTitle({ name, type, method, path }: ListedRequest): string {
  return titleOf({ name, type: type ?? `${method} ${path}` })
}

/** JSON that a person reads; `undefined` where the body is none. */
export function jsonIn(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) as unknown }
  } catch {
    return undefined
  }
}

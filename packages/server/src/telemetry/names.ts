import type { Destination } from '@hookline/protocol'

const MAX_LABEL = 64

/** C0, DEL and C1, controls of bidirectional text, lone surrogates, and line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Cs}\p{Zl}\p{Zp}]/gu

interface Named {
  readonly sources: ReadonlyMap<string, { readonly name: string }>
  readonly destinations: ReadonlyMap<string, Destination>
}

/** The log fields that name a destination, or one of its webhooks. */
export interface DestinationFields {
  readonly destinationId: string
  readonly destination?: string | undefined
  readonly source?: string | undefined
  readonly webhook?: string
}

/** Names a destination, its source and one of its webhooks. Names of removed records are missing. */
export function fieldsOf(
  destinationId: string,
  url: string | undefined,
  { sources, destinations }: Named,
): DestinationFields {
  const destination = destinations.get(destinationId)
  return {
    destination: destination?.name,
    source: destination && sources.get(destination.sourceId)?.name,
    ...(url !== undefined && { webhook: webhookName(url, destination) }),
    destinationId,
  }
}

/** A webhook's name in logs and metrics: its host, with `#2` for a second webhook there. Omits the path, which may be secret. */
export function webhookName(url: string, destination: Destination | undefined): string {
  const { host } = new URL(url)
  const urls = destination?.settings.webhooks.map((webhook) => webhook.url) ?? []
  const place = urls.filter((each) => new URL(each).host === host).indexOf(url)
  return place > 0 ? `${host}#${place + 1}` : host
}

/** A user-chosen name as a metric label: bounded, and without invisible characters. */
export function labelOf(name: string): string {
  const text = name.replaceAll(UNPRINTABLE, '\ufffd').slice(0, MAX_LABEL)
  return text.toWellFormed()
}

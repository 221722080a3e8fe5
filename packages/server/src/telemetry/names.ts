import type { Destination } from '@hookline/protocol'

/** The longest name in a label of a metric, in UTF-16 code units. */
const LONGEST_LABEL = 64

/** C0, DEL and C1, the controls of bidirectional text, and halves of surrogate pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\p{Cs}\p{Zl}\p{Zp}]/gu

/** What names are looked up in. */
interface Named {
  readonly sources: ReadonlyMap<string, { readonly name: string }>
  readonly destinations: ReadonlyMap<string, Destination>
}

/** The fields of a log line that say which destination, or which webhook of it, the line is about. */
export interface DestinationFields {
  readonly destinationId: string
  readonly destination?: string | undefined
  readonly source?: string | undefined
  readonly webhook?: string
}

/** The names of a destination, its source and one of its webhooks. Names of what has been removed are missing. */
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

/**
 * The name of a webhook in logs and metrics: its host. Where webhooks of the destination share a host, the second one is
 * `host#2`. The path and the query of a URL may contain a credential, so they are not shown.
 */
export function webhookName(url: string, destination: Destination | undefined): string {
  const { host } = new URL(url)
  const urls = destination?.settings.webhooks.map((webhook) => webhook.url) ?? []
  const place = urls.filter((each) => new URL(each).host === host).indexOf(url)
  return place > 0 ? `${host}#${place + 1}` : host
}

/** A name that a person has chosen, as the label of a metric: bounded, and without characters that nobody can see. */
export function labelOf(name: string): string {
  const text = name.replaceAll(UNPRINTABLE, '\ufffd').slice(0, LONGEST_LABEL)
  return text.toWellFormed()
}

import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import type { RunningService } from '@hookline/testing/service/running-service'

/** The body of a request to a channel of the format `webhook`. */
export interface Alert {
  readonly type: string
  readonly messageId: string
  readonly userId: string
  readonly event: string
  readonly properties: Readonly<Record<string, unknown>>
}

export interface Problem {
  readonly condition: string
  readonly severity: string
  readonly title: string
  readonly remedy: string
  readonly to: string
  readonly subject: { readonly id: string }
  readonly causes: readonly object[]
}

/** Adds a channel of the format `webhook`, and returns its receiver. */
export async function openChannel({ api }: RunningService): Promise<Receiver> {
  const channel = await openReceiver()
  await api.call('POST', 'alerts/channels', { url: channel.url, format: 'webhook' })
  return channel
}

export const textOf = ({ requests }: Receiver): string =>
  requests.map(({ body }) => body.toString()).join('\n')

export const alertsIn = ({ requests }: Receiver): Alert[] =>
  requests.map(({ body }) => JSON.parse(body.toString()) as Alert)

/** The current problems, except those about low disk space on this machine. */
export async function problemsOf(service: RunningService): Promise<readonly Problem[]> {
  const { data } = await service.api.call<{ data: Problem[] }>('GET', 'problems')
  return data.filter(({ condition }) => condition !== 'disk_low')
}

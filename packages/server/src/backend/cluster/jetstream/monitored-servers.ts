import type { Redacted } from '../../../util/secrets/redacted.ts'
import { ConnectionRefused } from '../connection-refused.ts'

/** A NATS server, as its monitoring port reports it. */
export interface MonitoredServer {
  /** Of the monitoring port, for messages. */
  readonly host: string
  /** Whether the server syncs an event before it confirms it; `undefined` where the port does not respond as expected. */
  readonly syncsAlways: boolean | undefined
}

const TIMEOUT_MS = 3_000

/** Reads the settings of servers from their monitoring ports. `urls` are separated by commas. */
export function monitoredServers(urls: Redacted): Promise<readonly MonitoredServer[]> {
  return Promise.all(
    urls
      .reveal()
      .split(',')
      .map((url) => monitoredServer(new URL(url.trim()))),
  )
}

/** @throws {ConnectionRefused} if a server may lose confirmed events in a power cut */
export function refuseUnsynced(servers: readonly MonitoredServer[]): void {
  const unsynced = servers.filter(({ syncsAlways }) => syncsAlways === false)
  if (unsynced.length === 0) return
  throw new ConnectionRefused(
    `NATS confirms events before they are on its disk (${unsynced.map(({ host }) => host).join(', ')}): a power cut would lose ` +
      'calls that got a 200. Set `sync_interval: always` in the block `jetstream` of its configuration, and restart it.',
  )
}

async function monitoredServer(url: URL): Promise<MonitoredServer> {
  const { host } = url
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(`${url.href.replace(/\/$/, '')}/varz`, { signal })
    const { jetstream } = (await response.json()) as Varz
    return { host, syncsAlways: jetstream.config && jetstream.config.sync_always === true }
  } catch {
    return { host, syncsAlways: undefined }
  }
}

/** Of nats-server's `/varz`. */
interface Varz {
  readonly jetstream: { readonly config?: { readonly sync_always?: boolean } }
}

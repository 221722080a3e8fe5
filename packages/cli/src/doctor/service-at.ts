import type { Config } from '@hookline/server'
import { isLoopback, reachableUrl } from '../loopback.ts'

/** The readiness of a running service. */
export interface FoundService {
  readonly isReady: boolean
  /** What is not ready. */
  readonly reason: string
  /** What it reports of the clock of its machine; absent where that is all right. */
  readonly clockNote: string | undefined
  /** The time of its clock, in milliseconds since the epoch, to the second. */
  readonly date: number
}

const DEADLINE_MS = 3_000

/** What a doctor looks at. */
export interface Patient {
  readonly config: Config
  /** The address of the management API. */
  readonly url: URL
  /** Whether the user gave the address: then a service has to be there. */
  readonly isUrlGiven: boolean
  /** The file that the user gave with the token of the service. */
  readonly tokenFile?: string | undefined
}

/** Whether the service runs on this machine, so that its folder is here. */
export function isHere({ url }: Patient): boolean {
  return isLoopback(url.hostname)
}

/** The service at this address; `undefined` if none responds. */
export async function serviceAt({ url }: Pick<Patient, 'url'>): Promise<FoundService | undefined> {
  try {
    const response = await fetch(new URL('readyz', url), {
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const body = (await response.json()) as {
      checks: Record<string, { ok: boolean; reason?: string; note?: string }>
    }
    const failed = Object.entries(body.checks).filter(([, { ok }]) => !ok)
    return {
      isReady: response.status === 200,
      reason: failed.map(([check, { reason = '' }]) => `${check} (${reason})`).join(', '),
      clockNote: body.checks['clock']?.note,
      date: Date.parse(response.headers.get('date') ?? ''),
    }
  } catch {
    return undefined
  }
}

/** The address of the management API of a service with this configuration. */
export function adminUrl(config: Config): URL {
  const [host, port] =
    config.adminPort === undefined
      ? [config.host, config.port]
      : [config.adminHost, config.adminPort]
  const name = host.includes(':') ? `[${host}]` : host
  return new URL(reachableUrl(`http://${name}:${port}/`))
}

import type { Config } from '@hookline/server'
import { isLoopback, reachableUrl } from '../loopback.ts'

interface FoundService {
  readonly isReady: boolean
  readonly reason: string
  /** A problem with its clock. */
  readonly clockNote: string | undefined
  /** Milliseconds since the epoch, to the second. */
  readonly date: number
}

const DEADLINE_MS = 3_000

export interface DoctorTarget {
  readonly config: Config
  readonly url: URL
  /** If true, a service must respond. */
  readonly hasExplicitUrl: boolean
  readonly tokenFile?: string | undefined
}

/** Whether the service runs on this machine. */
export function isLocal({ url }: DoctorTarget): boolean {
  return isLoopback(url.hostname)
}

export async function serviceAt({
  url,
}: Pick<DoctorTarget, 'url'>): Promise<FoundService | undefined> {
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

/** The URL of the management API. */
export function adminUrl(config: Config): URL {
  const [host, port] =
    config.adminPort === undefined
      ? [config.host, config.port]
      : [config.adminHost, config.adminPort]
  const name = host.includes(':') ? `[${host}]` : host
  return new URL(reachableUrl(`http://${name}:${port}/`))
}

import { monitoredServers, refuseUnsynced } from './jetstream/monitored-servers.ts'
import { NatsLink } from './jetstream/nats-link.ts'
import type { ClusterOptions } from './open.ts'
import { checkServer } from './postgres/check-server.ts'
import { Postgres } from './postgres/postgres.ts'

/** The state of a server of the cluster, as `hookline doctor` shows it. */
export interface ServerDiagnosis {
  readonly ok: boolean
  /** It works, but something should be changed. */
  readonly warning?: true
  readonly detail: string
  /** What to do. */
  readonly next?: string
}

/** Makes the checks of a starting node, and those that only warn. */
export async function diagnoseServers(
  options: ClusterOptions,
): Promise<Readonly<Record<'PostgreSQL' | 'NATS', ServerDiagnosis>>> {
  const failed = (error: unknown): ServerDiagnosis => ({
    ok: false,
    detail: (error as Error).message,
  })
  return {
    PostgreSQL: await diagnosePostgres(options).catch(failed),
    NATS: await diagnoseNats(options).catch(failed),
  }
}

async function diagnosePostgres({ databaseUrl: url }: ClusterOptions): Promise<ServerDiagnosis> {
  await using postgres = new Postgres({ url })
  const { version, hasChecksums } = await checkServer(postgres)
  const detail = `version ${version}, fsync on, data_checksums ${hasChecksums ? 'on' : 'off'}`
  if (hasChecksums) return { ok: true, detail }
  const next =
    'Stop PostgreSQL, run `pg_checksums --enable`, and start it: then it finds damaged pages'
  return { ok: true, warning: true, detail, next }
}

async function diagnoseNats(options: ClusterOptions): Promise<ServerDiagnosis> {
  await using link = await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity })
  const { natsMonitorUrl } = options
  const servers = natsMonitorUrl ? await monitoredServers(natsMonitorUrl) : []
  refuseUnsynced(servers)
  const silent = servers.filter(({ syncsAlways }) => syncsAlways === undefined)
  const isVerified = servers.length > 0 && silent.length === 0
  const detail = `version ${link.version}, sync_interval ${isVerified ? 'always' : 'not verified'}`
  if (isVerified) return { ok: true, detail }
  const next =
    silent.length > 0
      ? `Check HOOKLINE_NATS_MONITOR_URL: ${silent.map(({ host }) => host).join(', ')} did not report the settings of NATS`
      : 'Set HOOKLINE_NATS_MONITOR_URL to the monitoring ports of all NATS servers'
  return { ok: true, warning: true, detail, next }
}

import { readFileSync } from 'node:fs'
import type { Backend } from './backend/backend.ts'
import type { ServerDiagnosis } from './backend/cluster/check-servers.ts'
import type { ClusterOptions } from './backend/cluster/open.ts'
import { type EmbeddedOptions, openEmbeddedBackend } from './backend/embedded/open.ts'
import type { Config } from './config.ts'
import { Redacted } from './util/secrets/redacted.ts'
import type { MoveReport } from './backend/cluster/move/move-data.ts'
import type { MoveListeners } from './backend/cluster/move/moved-tables.ts'
import { openStoppedData } from './backend/embedded/stopped/stopped-database.ts'

export type { MoveReport } from './backend/cluster/move/move-data.ts'

/** A setting that the backend needs is missing, settings contradict each other, or a file cannot be read. */
class BackendNotConfiguredError extends Error {
  override readonly name = 'BackendNotConfiguredError'
}

/** Options that apply only to the embedded backend. */
type EmbeddedOnlyOptions = Pick<
  EmbeddedOptions,
  'appendingThreads' | 'onUnreadable' | 'onEmptiedLock' | 'onCorruption'
>

/** Opens the configured backend. @throws {BackendNotConfiguredError} */
export async function openBackend(
  config: Config,
  embeddedOnly: EmbeddedOnlyOptions,
): Promise<Backend> {
  if (config.backend === 'embedded') {
    refuseRole(config)
    return openEmbeddedBackend({ ...config, ...embeddedOnly })
  }
  requireSecret(config, 'adminToken', 'HOOKLINE_ADMIN_TOKEN')
  const options = clusterOptionsOf(config)
  // Imported on demand: the PostgreSQL and NATS clients take 40 MB that an embedded service does not need.
  const { openClusterBackend } = await import('./backend/cluster/open.ts')
  return openClusterBackend(options)
}

/** Diagnoses PostgreSQL and NATS. @throws {BackendNotConfiguredError} */
export async function diagnoseCluster(
  config: Config,
): Promise<Readonly<Record<string, ServerDiagnosis>>> {
  const { diagnoseServers } = await import('./backend/cluster/check-servers.ts')
  return diagnoseServers(clusterOptionsOf(config))
}

export type MigrateDataOptions = MoveListeners & Pick<EmbeddedOptions, 'onUnreadable'>

/**
 * Moves the data of the stopped service in `dataDir` into the configured cluster. Resumes an interrupted move.
 * @throws {DataDirInUseError | UnusableDatabaseError | EncryptionKeyMismatchError | BackendNotConfiguredError | BackendUnavailableError}
 * @throws {ClusterNotEmptyError | ClusterInUseError | RowCountMismatchError | EventTooLargeError}
 */
export async function migrateData(
  config: Config,
  { onUnreadable, ...listeners }: MigrateDataOptions,
): Promise<MoveReport> {
  const options = clusterOptionsOf(config)
  using data = openStoppedData({ ...config, ...(onUnreadable && { onUnreadable }) })
  const { moveIntoCluster } = await import('./backend/cluster/move/move-data.ts')
  return await moveIntoCluster(options, data, listeners)
}

/** @throws {BackendNotConfiguredError} */
function clusterOptionsOf(config: Config): ClusterOptions {
  const { natsMonitorUrl, natsPrefix, natsReplicas, dedupeWindowMs, maxWaitingBytes } = config
  return {
    databaseUrl: requireSecret(config, 'databaseUrl', 'HOOKLINE_DATABASE_URL'),
    natsUrl: requireSecret(config, 'natsUrl', 'HOOKLINE_NATS_URL'),
    encryptionKey: requireSecret(config, 'encryptionKey', 'HOOKLINE_ENCRYPTION_KEY'),
    natsSecurity: natsSecurityOf(config),
    ...(natsMonitorUrl && { natsMonitorUrl }),
    natsPrefix,
    natsReplicas,
    dedupeWindowMs,
    maxWaitingBytes,
  }
}

function refuseRole({ role }: Config): void {
  if (role === 'all') return
  throw new BackendNotConfiguredError(
    `The role ${role} requires the cluster backend (HOOKLINE_BACKEND=cluster): the embedded backend runs in a single process. Unset ` +
      'HOOKLINE_ROLE, or set it to all.',
  )
}

/** @throws {BackendNotConfiguredError} if the settings contradict each other, or a file cannot be read */
function natsSecurityOf({
  natsCreds,
  natsNkeySeed,
  natsCaFile,
  natsCertFile,
  natsKeyFile,
}: Config) {
  if (natsCreds && natsNkeySeed)
    throw new BackendNotConfiguredError(
      'HOOKLINE_NATS_CREDS already contains a seed: remove HOOKLINE_NATS_NKEY_SEED.',
    )
  if ((natsCertFile === undefined) !== (natsKeyFile === undefined))
    throw new BackendNotConfiguredError(
      'Set both HOOKLINE_NATS_CERT_FILE and HOOKLINE_NATS_KEY_FILE, or neither.',
    )
  const ca = pemOf(natsCaFile, 'HOOKLINE_NATS_CA_FILE')
  const cert = pemOf(natsCertFile, 'HOOKLINE_NATS_CERT_FILE')
  const key = pemOf(natsKeyFile, 'HOOKLINE_NATS_KEY_FILE')
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key: new Redacted(key) }) }
  return {
    ...(natsCreds && { credentials: natsCreds }),
    ...(natsNkeySeed && { nkeySeed: natsNkeySeed }),
    ...((ca ?? cert) && { tls }),
  }
}

function pemOf(file: string | undefined, variable: string): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new BackendNotConfiguredError(
      `Cannot read the file set in ${variable} (${code}): ${file}`,
    )
  }
}

/** Secrets shared by all nodes must be configured: nodes do not create them. */
function requireSecret(
  config: Config,
  name: 'adminToken' | 'databaseUrl' | 'encryptionKey' | 'natsUrl',
  variable: string,
): Redacted {
  const value = config[name]
  if (value !== undefined) return value
  throw new BackendNotConfiguredError(
    `The cluster backend requires ${variable}, with the same value on all nodes.`,
  )
}

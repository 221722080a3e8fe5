import type { Backend } from './backend/backend.ts'
import type { ClusterOptions } from './backend/cluster/open.ts'
import { type EmbeddedOptions, openEmbeddedBackend } from './backend/embedded/open.ts'
import type { Config } from './config.ts'
import type { Redacted } from './util/secrets/redacted.ts'

/** The configuration lacks what its backend needs. */
class BackendNotConfigured extends Error {
  override readonly name = 'BackendNotConfigured'
}

/** What the embedded backend alone has. */
type OfEmbedded = Pick<
  EmbeddedOptions,
  'appendingThreads' | 'onUnreadable' | 'onEmptiedLock' | 'onDamage'
>

/** Opens the backend that the configuration names. @throws {BackendNotConfigured} */
export async function openBackend(config: Config, ofEmbedded: OfEmbedded): Promise<Backend> {
  if (config.backend === 'embedded') {
    refuseRole(config)
    return openEmbeddedBackend({ ...config, ...ofEmbedded })
  }
  needed(config, 'adminToken', 'HOOKLINE_ADMIN_TOKEN')
  const options = clusterOptionsOf(config)
  // Loaded here: with the clients of PostgreSQL and NATS, it takes 40 MB that an embedded service does not need.
  const { openClusterBackend } = await import('./backend/cluster/open.ts')
  return openClusterBackend(options)
}

/** Where the cluster is, and how to use it. @throws {BackendNotConfigured} */
export function clusterOptionsOf(config: Config): ClusterOptions {
  const { natsPrefix, natsReplicas, dedupeWindowMs, maxWaitingBytes } = config
  return {
    databaseUrl: needed(config, 'databaseUrl', 'HOOKLINE_DATABASE_URL'),
    natsUrl: needed(config, 'natsUrl', 'HOOKLINE_NATS_URL'),
    encryptionKey: needed(config, 'encryptionKey', 'HOOKLINE_ENCRYPTION_KEY'),
    natsPrefix,
    natsReplicas,
    dedupeWindowMs,
    maxWaitingBytes,
  }
}

function refuseRole({ role }: Config): void {
  if (role === 'all') return
  throw new BackendNotConfigured(
    `The role ${role} needs the cluster (HOOKLINE_BACKEND=cluster): one process with a file of its own does everything. Leave ` +
      'HOOKLINE_ROLE out, or set it to all.',
  )
}

/** Secrets that all nodes share come from the configuration: a node makes none by itself. */
function needed(
  config: Config,
  name: 'adminToken' | 'databaseUrl' | 'encryptionKey' | 'natsUrl',
  variable: string,
): Redacted {
  const value = config[name]
  if (value !== undefined) return value
  throw new BackendNotConfigured(`The cluster needs ${variable}, the same on all nodes.`)
}

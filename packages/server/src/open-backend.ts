import type { Backend } from './backend/backend.ts'
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
  if (config.backend === 'embedded') return openEmbeddedBackend({ ...config, ...ofEmbedded })
  const { natsPrefix, natsReplicas, dedupeWindowMs, maxWaitingBytes } = config
  needed(config, 'adminToken', 'HOOKLINE_ADMIN_TOKEN')
  // Loaded here: with the clients of PostgreSQL and NATS, it takes 40 MB that an embedded service does not need.
  const { openClusterBackend } = await import('./backend/cluster/open.ts')
  return openClusterBackend({
    databaseUrl: needed(config, 'databaseUrl', 'HOOKLINE_DATABASE_URL'),
    natsUrl: needed(config, 'natsUrl', 'HOOKLINE_NATS_URL'),
    encryptionKey: needed(config, 'encryptionKey', 'HOOKLINE_ENCRYPTION_KEY'),
    natsPrefix,
    natsReplicas,
    dedupeWindowMs,
    maxWaitingBytes,
  })
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

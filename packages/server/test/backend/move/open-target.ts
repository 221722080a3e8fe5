import { openClusterBackend, type ClusterOptions } from '../../../src/backend/cluster/open.ts'
import { moveIntoCluster, type MoveReport } from '../../../src/backend/cluster/move/move-data.ts'
import type { MoveListeners } from '../../../src/backend/cluster/move/moved-tables.ts'
import { openStoppedData } from '../../../src/backend/embedded/stopped/stopped-database.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { newClusterNamespace } from '@hookline/testing/cluster/cluster-servers'
import { ADMIN_TOKEN } from './filled-folder.ts'

/** An empty cluster with a new key. */
export interface Target extends AsyncDisposable {
  readonly options: ClusterOptions
  /** The settings of a node. */
  readonly settings: Readonly<Record<string, string>>
}

export async function openTarget(): Promise<Target> {
  const place = await newClusterNamespace()
  const { databaseUrl, natsUrl, natsPrefix } = place
  const key = SecretBox.newKey()
  return {
    options: {
      databaseUrl: new Redacted(databaseUrl),
      natsUrl: new Redacted(natsUrl),
      natsPrefix,
      encryptionKey: new Redacted(key),
      pollMs: 50,
    },
    settings: {
      HOOKLINE_BACKEND: 'cluster',
      HOOKLINE_DATABASE_URL: databaseUrl,
      HOOKLINE_NATS_URL: natsUrl,
      HOOKLINE_NATS_PREFIX: natsPrefix,
      HOOKLINE_ENCRYPTION_KEY: key,
      HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

/** Moves a folder's data like the command. */
export async function moveInto(
  { options }: Target,
  dataDir: string,
  listeners: MoveListeners = {},
): Promise<MoveReport> {
  using data = openStoppedData({ dataDir, encryptionKey: options.encryptionKey })
  return await moveIntoCluster(options, data, listeners)
}

export function openNode({ options }: Target) {
  return openClusterBackend(options)
}

import type { MoveReport } from './backend/cluster/move/move-data.ts'
import type { EmbeddedOptions } from './backend/embedded/open.ts'
import { openStoppedData } from './backend/embedded/stopped/open-stopped-data.ts'
import type { Config } from './config.ts'
import { clusterOptionsOf } from './open-backend.ts'

export type { MoveReport } from './backend/cluster/move/move-data.ts'

export interface MigrateDataOptions extends Pick<EmbeddedOptions, 'onUnreadable'> {
  /** Called with the name of each table when its rows were moved. */
  readonly onMoved: (table: string) => void
}

/**
 * Moves the data of the stopped service in `dataDir` into the cluster of the configuration. One that was cut off goes on where it was.
 * @throws {DataDirInUse | UnusableDatabase | EncryptionKeyMismatch | BackendNotConfigured | BackendUnavailable}
 * @throws {ClusterNotEmpty | ClusterInUse | MoveDiffers | EventTooLarge}
 */
export async function migrateData(
  config: Config,
  { onMoved, onUnreadable }: MigrateDataOptions,
): Promise<MoveReport> {
  const options = clusterOptionsOf(config)
  using data = openStoppedData({ ...config, ...(onUnreadable && { onUnreadable }) })
  // Loaded here, as in open-backend.ts.
  const { moveIntoCluster } = await import('./backend/cluster/move/move-data.ts')
  return await moveIntoCluster(options, data, onMoved)
}

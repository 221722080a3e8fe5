import { SecretBox } from '../../util/secrets/secret-box.ts'
import type { StoppedData } from '../stopped-data.ts'
import { checkEncryptionKey } from './encryption/encryption-key.ts'
import { ByteBudget } from '../../util/limits/byte-budget.ts'
import { openLogOf } from './installation.ts'
import type { JetStreamLog } from './jetstream/jetstream-log.ts'
import { NatsLink } from './jetstream/nats-link.ts'
import { moveData, type MoveReport } from './move/move-data.ts'
import { ClusterNotEmpty } from './move/move-progress.ts'
import type { ClusterOptions } from './open.ts'
import { checkServer } from './postgres/check-server.ts'
import { migrate } from './postgres/migrate.ts'
import { Postgres } from './postgres/postgres.ts'

/**
 * Moves the data of a stopped service into a cluster that is empty, or that an earlier call has begun to move it into.
 * @throws what `moveData` throws
 * @throws {ConnectionRefused | StreamMismatch} as a node
 * @throws {EncryptionKeyMismatch} where the cluster has another key
 */
export async function moveIntoCluster(
  options: ClusterOptions,
  data: StoppedData,
  onMoved: (table: string) => void,
): Promise<MoveReport> {
  await using stack = new AsyncDisposableStack()
  const keys = SecretBox.keysIn(options.encryptionKey.reveal())
  if (keys === undefined) throw new TypeError('HOOKLINE_ENCRYPTION_KEY has no key.')
  const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
  await checkServer(postgres)
  await migrate(postgres)
  const box = new SecretBox(keys)
  await checkEncryptionKey(postgres, box)
  const nats = stack.use(await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity }))
  const { natsPrefix: prefix = 'hookline', natsReplicas: replicas = 1 } = options
  const log = stack.use(
    await openLogOf(postgres, nats, { prefix, replicas, waiting: new ByteBudget(0) }),
  )
  return await moveData({
    postgres,
    box,
    data,
    maxPayloadBytes: nats.maxPayloadBytes,
    checkLog: () => refuseEntries(log, data),
    onMoved,
  })
}

async function refuseEntries(log: JetStreamLog, { lastPosition }: StoppedData): Promise<void> {
  const { bytes } = await log.state()
  // A purge goes by positions: what is moved has to come before all that is appended later.
  if (bytes === 0 && (await log.lastPosition()) > lastPosition) return
  throw new ClusterNotEmpty(
    "The stream of the log is not empty, or it was made before 2026 by its server's clock. Remove the stream, or choose another " +
      'prefix (--nats-prefix).',
  )
}

import type { Redacted } from '../../util/secrets/redacted.ts'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import type { Backend } from '../backend.ts'
import { migrate } from './postgres/migrate.ts'
import { Postgres } from './postgres/postgres.ts'

export interface ClusterOptions {
  /** Of PostgreSQL, with the password. */
  readonly databaseUrl: Redacted
  /** Servers of NATS, separated by commas. */
  readonly natsUrl: Redacted
  /** Begins the name of every stream and subject. Defaults to `hookline`. */
  readonly natsPrefix?: string
  /** Encrypts the secrets: the same on all nodes. */
  readonly encryptionKey: Redacted
  /** How long after an event another one with the same source and messageId is a duplicate. Defaults to a day. */
  readonly dedupeWindowMs?: number
  /** How often changes of other nodes are looked for that no notification has told. Defaults to a second. */
  readonly pollMs?: number
}

/** Opens the backend of one node on PostgreSQL and NATS. */
export async function openClusterBackend(options: ClusterOptions): Promise<Backend> {
  await using stack = new AsyncDisposableStack()
  const keys = SecretBox.keysIn(options.encryptionKey.reveal())
  if (keys === undefined) throw new TypeError('HOOKLINE_ENCRYPTION_KEY has no key.')
  const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
  await migrate(postgres)
  const ports = await portsOf({ stack, postgres, box: new SecretBox(keys), options })
  const open = stack.move()
  return { ...ports, [Symbol.asyncDispose]: () => open.disposeAsync() } as unknown as Backend
}

/** What the ports of this node share. What is to be closed goes on the stack: it is closed before the database. */
interface Opened {
  readonly stack: AsyncDisposableStack
  readonly postgres: Postgres
  readonly box: SecretBox
  readonly options: ClusterOptions
}

async function portsOf({ postgres }: Opened): Promise<Partial<Backend>> {
  return {
    // Each room adds its ports here.
    damaged: new Promise(() => undefined),
  }
}

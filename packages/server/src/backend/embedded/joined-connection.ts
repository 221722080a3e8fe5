import type { MessagePort } from 'node:worker_threads'
import { SecretBox } from '../../util/secrets/secret-box.ts'
import { CatalogReplica } from '../catalog.ts'
import { catalogIn, type SealedRecord } from '../store/catalog.ts'
import { DamageWatch } from './damage/damage-watch.ts'
import { DataDir } from './database/data-dir.ts'
import { Readers } from './readers.ts'
import { SqliteStore } from './sqlite-store.ts'
import { Writer } from './writer.ts'

/** What a thread needs to join. Some of it is secret: it does not leave the process. */
export interface ConnectionData {
  readonly file: string
  readonly writer: MessagePort
  /** The keys of the secret box. */
  readonly keys: readonly Uint8Array[]
}

/** The database, the writer and the catalog, as a thread that has joined uses them. */
export function connectionOf(
  { file, writer: port, keys }: ConnectionData,
  onDamage: (error: Error) => void,
) {
  const watch = new DamageWatch(file)
  void watch.found.then(onDamage)
  const box = new SecretBox(keys.map((key) => Buffer.from(key)))
  const reader = watch.openForReading(() => DataDir.openForReading(file))
  const writer = new Writer({ port, box, watch })
  // They start no thread before something is listed, which a thread that has joined does not do.
  const readers = new Readers(file, () => writer.run('emptyLog', undefined), watch)
  const store = new SqliteStore(writer, reader, readers)
  const records = reader.prepare('SELECT kind, document, settings FROM catalog').all()
  const catalog = new CatalogReplica(catalogIn(records as unknown as SealedRecord[], box))
  return {
    box,
    writer,
    reader,
    store,
    catalog,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await readers[Symbol.asyncDispose]()
      reader.close()
    },
  }
}

import { parentPort, workerData } from 'node:worker_threads'
import { DataDir } from './database/data-dir.ts'
import { failure, type Result } from './database/operation-result.ts'
import { readsOn, type Read } from './read-operations.ts'

/** The input of the thread. */
export interface ReaderStart {
  readonly file: string
}

const { file } = workerData as ReaderStart
const db = DataDir.openForReading(file)
const perform = readsOn(db)

/**
 * Runs a read in a transaction, which sees the data as it is at one moment. The promise is settled before the next message is
 * received: no read awaits anything but the database.
 */
async function attempt(read: Read): Promise<Result> {
  try {
    db.exec('BEGIN')
    try {
      return { ok: true, value: await perform(read) }
    } finally {
      // SQLite ends the transaction itself after some faults of the machine.
      if (db.isTransaction) db.exec('COMMIT')
    }
  } catch (error) {
    return failure(error)
  }
}

parentPort!.on('message', (read: Read | 'close') => {
  if (read === 'close') {
    db.close()
    parentPort!.close()
  } else {
    void attempt(read).then((result) => parentPort!.postMessage(result))
  }
})

import { parentPort, workerData } from 'node:worker_threads'
import { DataDir } from './database/data-dir.ts'
import { failure, type Result } from './database/operation-result.ts'
import { Statements } from './database/statements.ts'
import { readsOn, type Read } from './read-operations.ts'

/** The input of the thread. */
export interface ReaderStart {
  readonly file: string
}

const { file } = workerData as ReaderStart
const db = DataDir.openForReading(file)
const statements = new Statements(db)
const perform = readsOn(db)

function attempt(read: Read): Result {
  try {
    return { ok: true, value: statements.together(() => perform(read)) }
  } catch (error) {
    return failure(error)
  }
}

parentPort!.on('message', (read: Read | 'close') => {
  if (read === 'close') {
    db.close()
    parentPort!.close()
  } else {
    parentPort!.postMessage(attempt(read))
  }
})

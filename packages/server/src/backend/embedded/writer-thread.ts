import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { CommitMark, markFileOf, commitCounter, lastCommit } from './database/commit-mark.ts'
import { DataDir, lockFileOf } from './database/data-dir.ts'
import { FileWatch, identityOf } from './database/file-watch.ts'
import { failureOf, type OperationOutcome, unavailableResult } from './database/sqlite-errors.ts'
import type { DedupeWindow } from './log/known-message-ids.ts'
import { type Operation, OUTSIDE_OF_TRANSACTIONS, prepareOperations } from './write-operations.ts'
import { type WriterConnection, WriterConnections } from './writer-connections.ts'

export interface WriterStart extends DedupeWindow {
  readonly file: string
}

export type ToWriterThread = WriterConnection | 'close'
/** `gone`: the connection with this id is closed, and everything from it is committed. */
export type FromWriterThread = 'opened' | { readonly gone: number }

const { file, ...options } = workerData as WriterStart
const db = DataDir.openForWriting(file)
const { perform, numbering } = prepareOperations(db, options)
const countCommit = commitCounter(db)
const mark = new CommitMark(file, identityOf(lockFileOf(file)))
mark.writeDurably({ number: lastCommit(db), lastSeq: numbering.last })
// The mark is watched, because without it the next start cannot detect missing commits.
const files = new FileWatch(file, [lockFileOf(file), markFileOf(dirname(file))])
/**
 * Set after a commit to a file that was moved or replaced. Only a restart can find out which
 * file contains the commit.
 */
let lost: string | undefined

/** Performs operations in order. Reports one as done only if the next start would find it. */
async function performInPlace(
  operations: readonly Operation[],
): Promise<readonly OperationOutcome[]> {
  const problem = files.problem()
  if (lost === undefined && problem === undefined) {
    const results = await performAll(operations)
    files.written()
    lost = files.problem()
    if (lost === undefined) return results
  }
  const reason =
    lost === undefined
      ? `${problem} while the service was running. Put the original file back, or restart the service.`
      : `${lost} during a commit. Put the original file back and restart the service.`
  return operations.map(() => unavailableResult(reason))
}

async function performAll(operations: readonly Operation[]): Promise<OperationOutcome[]> {
  const isOutside = ({ name }: Operation): boolean => OUTSIDE_OF_TRANSACTIONS.has(name)
  const inside = operations.filter((operation) => !isOutside(operation))
  const results = inside.length > 0 ? await commit(inside) : []
  if (inside.length === operations.length) return results
  const insideResults = results.values()
  return operations.map((operation) =>
    isOutside(operation) ? attempt(operation) : insideResults.next().value!,
  )
}

function attempt(operation: Operation): OperationOutcome {
  try {
    return { ok: true, value: perform(operation) }
  } catch (error) {
    return failureOf(error)
  }
}

/** Performs all operations in one transaction, with one disk sync. */
async function commit(operations: readonly Operation[]): Promise<OperationOutcome[]> {
  try {
    db.exec('BEGIN IMMEDIATE')
    const results: OperationOutcome[] = []
    for (const operation of operations) {
      const value = perform(operation)
      results.push({ ok: true, value: value instanceof Promise ? await value : value })
    }
    const number = countCommit()
    db.exec('COMMIT')
    mark.write({ number, lastSeq: numbering.last })
    return results
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    // One failed operation must not fail the others: each gets its own transaction.
    if (operations.length === 1) return [failureOf(error)]
    const results: OperationOutcome[] = []
    for (const operation of operations) results.push(...(await commit([operation])))
    return results
  }
}

/** Moves everything into the database file, so that a copy of that file is complete. */
function close(): void {
  // Skipped if another file has replaced it.
  if (lost === undefined && files.problem() === undefined)
    attempt({ name: 'emptyLog', input: undefined })
  try {
    mark.writeDurably({ number: lastCommit(db), lastSeq: numbering.last })
  } catch {
    // The mark is outdated but correct.
  }
  db.close()
  mark[Symbol.dispose]()
  files[Symbol.dispose]()
}

const connections = new WriterConnections(performInPlace)

async function end(): Promise<void> {
  await connections.close()
  close()
  parentPort!.close()
}

parentPort!.postMessage('opened' satisfies FromWriterThread)
parentPort!.on('message', (message: ToWriterThread) => {
  if (message === 'close') {
    void end()
  } else {
    const onGone = () => parentPort!.postMessage({ gone: message.id } satisfies FromWriterThread)
    connections.add(message, onGone)
  }
})

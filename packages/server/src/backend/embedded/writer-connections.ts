import type { MessagePort } from 'node:worker_threads'
import type { Result } from './database/sqlite-errors.ts'
import type { EventBlock } from './log/event-block.ts'
import type { Appended } from './log/write-log.ts'
import type { SliceInput, Sliced } from './upkeep/write-retention.ts'
import type { Operation } from './write-operations.ts'

export interface WriterConnection {
  readonly id: number
  readonly port: MessagePort
  /** Whether it receives the appends of other threads. One connection does. */
  readonly hearsAppends: boolean
}

export interface AppendedBlock extends Appended {
  readonly block: EventBlock
}

/** Sent to a connection after a commit. */
export interface Committed {
  /** One for each of its operations; absent if the commit had none of it. */
  readonly results?: readonly Result[]
  /** Appends of other threads in this commit, ordered after its own. */
  readonly appended: readonly AppendedBlock[]
}

/** Operations that a connection has posted. It posts no more before it has the results. */
interface Batch {
  readonly from: WriterConnection
  readonly operations: readonly Operation[]
}

/** Removals per appended event during retention, so that the data shrinks under any load. */
const REMOVED_PER_EVENT = 1.25

/** The connections of the writer thread. One commit has the posted operations of all of them. */
export class WriterConnections {
  readonly #perform: (operations: readonly Operation[]) => Promise<readonly Result[]>
  readonly #all = new Set<WriterConnection>()
  #batches: Batch[] = []
  #isClosed = false

  /** @param perform resolves to the results, in order, in the same turn of the event loop */
  constructor(perform: (operations: readonly Operation[]) => Promise<readonly Result[]>) {
    this.#perform = perform
  }

  /** @param onClosed called when the port was closed and everything posted on it is committed */
  add(connection: WriterConnection, onClosed: () => void): void {
    const { port } = connection
    this.#all.add(connection)
    port.on('message', (operations: readonly Operation[]) =>
      this.#put({ from: connection, operations }),
    )
    port.on('close', () => {
      this.#all.delete(connection)
      setImmediate(onClosed)
    })
  }

  async close(): Promise<void> {
    await this.#commit()
    this.#isClosed = true
    for (const { port } of this.#all) port.close()
  }

  #put(batch: Batch): void {
    this.#batches.push(batch)
    // In the next turn, so that the commit includes other threads' operations.
    if (this.#batches.length === 1) setImmediate(() => void this.#commit())
  }

  async #commit(): Promise<void> {
    if (this.#isClosed || this.#batches.length === 0) return
    // The appends of the receiving connection are numbered first.
    const batches = this.#batches.toSorted((a, b) => rank(a) - rank(b))
    this.#batches = []
    const results = (await this.#perform(operationsOf(batches))).values()
    const settled = batches.map((batch) => {
      return { ...batch, results: results.take(batch.operations.length).toArray() }
    })
    this.#postAppended(settled)
    for (const { from, operations, results: own } of settled) {
      if (from.hearsAppends) continue
      const next = nextSlice(operations, own)
      if (next === undefined) from.port.postMessage({ results: own, appended: [] })
      else this.#put({ from, operations: [{ name: 'removeOldest', input: next }] })
    }
  }

  /** Posts the appends of other connections to the receiving one, with its own results. */
  #postAppended(settled: readonly SettledBatch[]): void {
    const receiver = this.#all.values().find(({ hearsAppends }) => hearsAppends)
    const own = settled.find(({ from }) => from === receiver)
    const appended = settled.filter((batch) => batch !== own).flatMap(appendedBy)
    if (receiver === undefined || (own === undefined && appended.length === 0)) return
    const committed: Committed = { ...(own && { results: own.results }), appended }
    receiver.port.postMessage(
      committed,
      appended.map(({ block }) => block.bodies.buffer),
    )
  }
}

interface SettledBatch extends Batch {
  readonly results: readonly Result[]
}

/** All operations. A retention slice removes more events than the others append, however large they are. */
function operationsOf(batches: readonly Batch[]): readonly Operation[] {
  const operations = batches.flatMap((batch) => batch.operations)
  const appended = operations.reduce((sum, { name, input }) => {
    return name === 'appendEvents' ? sum + (input as EventBlock).heads.length : sum
  }, 0)
  const minEvents = Math.ceil(appended * REMOVED_PER_EVENT)
  return operations.map((operation) => {
    if (operation.name !== 'removeOldest') return operation
    return { ...operation, input: { ...(operation.input as SliceInput), minEvents } }
  })
}

/** The next slice, if the batch is a removal that has not ended. */
function nextSlice(
  [operation]: readonly Operation[],
  [result]: readonly Result[],
): SliceInput | undefined {
  if (operation?.name !== 'removeOldest' || !result?.ok) return undefined
  return (result.value as Sliced).next
}

function rank({ from }: Batch): number {
  return from.hearsAppends ? 0 : 1
}

function appendedBy({ operations, results }: SettledBatch): readonly AppendedBlock[] {
  return operations.flatMap(({ name, input }, index) => {
    const result = results[index]!
    if (name !== 'appendEvents' || !result.ok) return []
    return [{ ...(result.value as Appended), block: input as EventBlock }]
  })
}

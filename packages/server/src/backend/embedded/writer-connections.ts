import type { MessagePort, Transferable } from 'node:worker_threads'
import type { Result } from './database/operation-result.ts'
import type { EventBlock } from './log/event-block.ts'
import type { Appended } from './log/write-log.ts'
import type { Operation } from './write-operations.ts'

/** A thread of the process that writes. */
export interface WriterConnection {
  readonly id: number
  readonly port: MessagePort
  /** Whether it is told what the others append. One of them is. */
  readonly hearsAppends: boolean
}

/** Events that another thread has appended. */
export interface AppendedBlock extends Appended {
  readonly block: EventBlock
}

/** What a connection is told after a commit. */
export interface Committed {
  /** One for each of its operations; absent where the commit had none of it. */
  readonly results?: readonly Result[]
  /** What others appended in this commit, after its own operations, in order. */
  readonly appended: readonly AppendedBlock[]
}

/** What a connection has posted. It posts no more before it has the results. */
interface Batch {
  readonly from: WriterConnection
  readonly operations: readonly Operation[]
}

const NOTHING_APPENDED: readonly AppendedBlock[] = []

/** The connections of the writer's thread. One commit has the operations of all that have posted some. */
export class WriterConnections {
  readonly #perform: (operations: readonly Operation[]) => readonly Result[]
  readonly #all = new Set<WriterConnection>()
  #batches: Batch[] = []

  /** @param perform returns the result of each operation, in their order */
  constructor(perform: (operations: readonly Operation[]) => readonly Result[]) {
    this.#perform = perform
  }

  /** @param onGone is called when the other side has closed the port, and all that it has posted is committed */
  add(connection: WriterConnection, onGone: () => void): void {
    const { port } = connection
    this.#all.add(connection)
    port.on('message', (operations: readonly Operation[]) => {
      this.#batches.push({ from: connection, operations })
      // After this turn of the event loop, so that the commit has what the other threads have posted meanwhile.
      if (this.#batches.length === 1) setImmediate(() => this.#commit())
    })
    port.on('close', () => {
      this.#all.delete(connection)
      // After the commit that may be due.
      setImmediate(onGone)
    })
  }

  close(): void {
    this.#commit()
    for (const { port } of this.#all) port.close()
  }

  #commit(): void {
    // What others append is numbered after what the one appends that hears of it.
    const batches = this.#batches.toSorted((a, b) => rank(a) - rank(b))
    this.#batches = []
    if (batches.length === 0) return
    const results = this.#perform(batches.flatMap(({ operations }) => operations)).values()
    const appended: AppendedBlock[] = []
    const settled = batches.map(({ from, operations }) => {
      const own = results.take(operations.length).toArray()
      if (!from.hearsAppends) appended.push(...appendedBy(operations, own))
      return { from, results: own }
    })
    this.#tellHearer(appended, settled)
    for (const { from, results: own } of settled)
      if (!from.hearsAppends) post(from, { results: own, appended: NOTHING_APPENDED })
  }

  #tellHearer(
    appended: readonly AppendedBlock[],
    settled: readonly { readonly from: WriterConnection; readonly results: readonly Result[] }[],
  ): void {
    const hearer = this.#all.values().find(({ hearsAppends }) => hearsAppends)
    const own = settled.find(({ from }) => from === hearer)
    if (hearer === undefined || (own === undefined && appended.length === 0)) return
    const buffers = appended.map(({ block }) => block.bodies.buffer)
    post(hearer, { ...(own && { results: own.results }), appended }, buffers)
  }
}

function rank({ from }: Batch): number {
  return from.hearsAppends ? 0 : 1
}

function appendedBy(
  operations: readonly Operation[],
  results: readonly Result[],
): readonly AppendedBlock[] {
  return operations.flatMap(({ name, input }, index) => {
    const result = results[index]!
    if (name !== 'appendEvents' || !result.ok) return []
    return [{ ...(result.value as Appended), block: input as EventBlock }]
  })
}

function post(
  { port }: WriterConnection,
  committed: Committed,
  transfer: readonly Transferable[] = [],
): void {
  port.postMessage(committed, transfer)
}

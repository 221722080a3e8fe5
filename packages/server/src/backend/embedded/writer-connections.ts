import type { MessagePort, Transferable } from 'node:worker_threads'
import type { Result } from './database/sqlite-errors.ts'
import type { EventBlock } from './log/event-block.ts'
import type { Appended } from './log/write-log.ts'
import type { SliceInput, Sliced } from './upkeep/write-retention.ts'
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
  readonly #perform: (operations: readonly Operation[]) => Promise<readonly Result[]>
  readonly #all = new Set<WriterConnection>()
  #batches: Batch[] = []
  readonly #share = new SliceShare()
  #isClosed = false

  /** @param perform resolves to the result of each operation, in their order, in the same turn of the event loop */
  constructor(perform: (operations: readonly Operation[]) => Promise<readonly Result[]>) {
    this.#perform = perform
  }

  /** @param onGone is called when the other side has closed the port, and all that it has posted is committed */
  add(connection: WriterConnection, onGone: () => void): void {
    const { port } = connection
    this.#all.add(connection)
    port.on('message', (operations: readonly Operation[]) =>
      this.#put({ from: connection, operations }),
    )
    port.on('close', () => {
      this.#all.delete(connection)
      // After the commit that may be due.
      setImmediate(onGone)
    })
  }

  async close(): Promise<void> {
    await this.#commit()
    this.#isClosed = true
    for (const { port } of this.#all) port.close()
  }

  #put(batch: Batch): void {
    this.#batches.push(batch)
    // After this turn of the event loop, so that the commit has what the other threads have posted meanwhile.
    if (this.#batches.length === 1) setImmediate(() => void this.#commit())
  }

  async #commit(): Promise<void> {
    if (this.#isClosed) return
    const removal = this.#batches.find((batch) => removalIn(batch) !== undefined)
    const leavesOthers = removal !== undefined && this.#batches.length > 1 && this.#share.isAlone()
    const taken = leavesOthers ? [removal] : this.#batches
    this.#batches = leavesOthers ? this.#batches.filter((batch) => batch !== removal) : []
    if (leavesOthers) setImmediate(() => void this.#commit())
    if (taken.length === 0) return
    const start = performance.now()
    const counts = await this.#commitBatches(taken)
    const wasAlone = removal !== undefined && taken.length === 1
    this.#share.committed({ wasAlone, tookMs: performance.now() - start, ...counts })
  }

  /** Resolves to how many events were appended, and how many a slice has removed. */
  async #commitBatches(
    taken: readonly Batch[],
  ): Promise<{ appended: number; removed: number | undefined }> {
    // What others append is numbered after what the one appends that hears of it.
    const batches = taken.toSorted((a, b) => rank(a) - rank(b))
    let removed: number | undefined
    const all = batches.flatMap(({ operations }) => operations)
    const results = (await this.#perform(all)).values()
    const appended: AppendedBlock[] = []
    const settled = batches.map(({ from, operations }) => {
      const own = results.take(operations.length).toArray()
      if (!from.hearsAppends) appended.push(...appendedBy(operations, own))
      return { from, results: own }
    })
    this.#tellHearer(appended, settled)
    for (const [index, { from, results: own }] of settled.entries()) {
      const slice = removalIn(batches[index]!)
      const sliced = slice && slicedBy(own[0])
      if (sliced) removed = sliced.removed - (slice.removed ?? 0)
      if (sliced?.next)
        this.#put({ from, operations: [{ name: 'removeOldest', input: sliced.next }] })
      else if (!from.hearsAppends) post(from, { results: own, appended: NOTHING_APPENDED })
    }
    return { appended: appendedIn(batches), removed }
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

/** The slice of a removal that a batch consists of; `undefined` for another batch. */
function removalIn({ operations }: Batch): SliceInput | undefined {
  const [operation] = operations
  return operation?.name === 'removeOldest' ? (operation.input as SliceInput) : undefined
}

function slicedBy(result: Result | undefined): Sliced | undefined {
  return result?.ok ? (result.value as Sliced) : undefined
}

function appendedIn(batches: readonly Batch[]): number {
  const operations = batches.flatMap((batch) => batch.operations)
  const blocks = operations.filter(({ name }) => name === 'appendEvents')
  return blocks.reduce((sum, { input }) => sum + (input as EventBlock).heads.length, 0)
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

/** Removals per appended event while retention works, so that the data shrinks under any load. */
const REMOVED_EACH = 1.25
/** Other writes wait for removals alone no longer than this many times what their last commit took. */
const ALONE_TIMES = 5
/** After a removal, events that are appended count for this long. */
const COUNTS_FOR_MS = 1_000

/**
 * Shares the commits between the removal of old events and all other writes. They have their commits together, until more is
 * appended than removed. Then the removal has some for itself, so that large batches do not outrun it.
 */
class SliceShare {
  /** The number of removals that are due. */
  #due = 0
  #removedAt = -Infinity
  #aloneSince: number | undefined
  #sharedTookMs = 0

  /** Whether the next slice has a commit for itself. */
  isAlone(): boolean {
    const now = performance.now()
    this.#aloneSince ??= now
    return this.#due > 0 && now - this.#aloneSince < ALONE_TIMES * this.#sharedTookMs
  }

  /** Call it after each commit. `removed` is absent where it had no slice. */
  committed(commit: {
    readonly wasAlone: boolean
    readonly tookMs: number
    readonly appended: number
    readonly removed: number | undefined
  }): void {
    const { wasAlone, tookMs, appended, removed } = commit
    const now = performance.now()
    if (!wasAlone) {
      this.#aloneSince = undefined
      this.#sharedTookMs = tookMs
    }
    if (removed !== undefined) this.#removedAt = now
    // What finds nothing to remove needs no commits for itself.
    const isPointless = removed === 0 || now - this.#removedAt > COUNTS_FOR_MS
    this.#due = isPointless ? 0 : Math.max(0, this.#due + appended * REMOVED_EACH - (removed ?? 0))
  }
}

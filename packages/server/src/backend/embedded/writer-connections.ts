import type { MessagePort } from 'node:worker_threads'
import type { OperationOutcome } from './database/sqlite-errors.ts'
import type { EventBlock } from './log/event-block.ts'
import type { AppendResult } from './log/write-log.ts'
import type { SliceInput, SliceResult } from './upkeep/write-retention.ts'
import type { Operation } from './write-operations.ts'

export interface WriterConnection {
  readonly id: number
  readonly port: MessagePort
  /** Whether the connection receives appends from other threads. Exactly one connection does. */
  readonly receivesAppends: boolean
}

export interface AppendedBlock extends AppendResult {
  readonly block: EventBlock
}

export interface CommitResult {
  /** A result for each operation of the connection; absent if the commit had none of its operations. */
  readonly results?: readonly OperationOutcome[]
  /** Appends from other threads in this commit, ordered after the connection's own. */
  readonly appended: readonly AppendedBlock[]
}

/** Operations that a connection has posted. It posts no more until it has the results. */
interface Batch {
  readonly from: WriterConnection
  readonly operations: readonly Operation[]
}

export class WriterConnections {
  readonly #perform: (operations: readonly Operation[]) => Promise<readonly OperationOutcome[]>
  readonly #all = new Set<WriterConnection>()
  #batches: Batch[] = []
  readonly #share = new SliceShare()
  #isClosed = false

  /** @param perform resolves to the results, in order, in the same turn of the event loop */
  constructor(perform: (operations: readonly Operation[]) => Promise<readonly OperationOutcome[]>) {
    this.#perform = perform
  }

  /** @param onGone called once the port is closed and everything posted on it is committed */
  add(connection: WriterConnection, onGone: () => void): void {
    const { port } = connection
    this.#all.add(connection)
    port.on('message', (operations: readonly Operation[]) =>
      this.#put({ from: connection, operations }),
    )
    port.on('close', () => {
      this.#all.delete(connection)
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
    // In the next turn, so that the commit includes other threads' operations.
    if (this.#batches.length === 1) setImmediate(() => void this.#commit())
  }

  async #commit(): Promise<void> {
    if (this.#isClosed) return
    const removal = this.#batches.find((batch) => removalIn(batch) !== undefined)
    const leavesOthers =
      removal !== undefined && this.#batches.length > 1 && this.#share.mayRunAlone()
    const batches = leavesOthers ? [removal] : this.#batches
    this.#batches = leavesOthers ? this.#batches.filter((batch) => batch !== removal) : []
    if (leavesOthers) setImmediate(() => void this.#commit())
    if (batches.length === 0) return
    const start = performance.now()
    const counts = await this.#commitBatches(batches)
    const wasAlone = removal !== undefined && batches.length === 1
    this.#share.committed({ wasAlone, tookMs: performance.now() - start, ...counts })
  }

  async #commitBatches(
    batches: readonly Batch[],
  ): Promise<{ appended: number; removed: number | undefined }> {
    // Appends from the receiving connection are numbered first.
    const sorted = batches.toSorted((a, b) => rank(a) - rank(b))
    const results = await this.#perform(sorted.flatMap(({ operations }) => operations))
    const appended: AppendedBlock[] = []
    let [end, appendedEvents] = [0, 0]
    let removed: number | undefined
    let receiver: readonly OperationOutcome[] | undefined
    const others: (readonly [WriterConnection, readonly OperationOutcome[]])[] = []
    for (const batch of sorted) {
      const { from, operations } = batch
      const own = results.slice(end, (end += operations.length))
      const blocks = appendedBy(operations, own)
      for (const { block } of blocks) appendedEvents += block.heads.length
      if (!from.receivesAppends) appended.push(...blocks)
      const slice = removalIn(batch)
      const sliced = slice && slicedBy(own[0])
      if (sliced) removed = sliced.removed - (slice.removed ?? 0)
      if (sliced?.next)
        this.#put({ from, operations: [{ name: 'removeOldest', input: sliced.next }] })
      else if (from.receivesAppends) receiver = own
      else others.push([from, own])
    }
    this.#postBack(receiver, appended)
    for (const [to, own] of others) post(to, { results: own, appended: [] })
    return { appended: appendedEvents, removed }
  }

  #postBack(
    results: readonly OperationOutcome[] | undefined,
    appended: readonly AppendedBlock[],
  ): void {
    if (results === undefined && appended.length === 0) return
    const buffers = appended.map(({ block }) => block.bodies.buffer)
    for (const to of this.#all)
      if (to.receivesAppends) post(to, { ...(results && { results }), appended }, buffers)
  }
}

function removalIn({ operations }: Batch): SliceInput | undefined {
  const [operation] = operations
  return operation?.name === 'removeOldest' ? (operation.input as SliceInput) : undefined
}

function slicedBy(result: OperationOutcome | undefined): SliceResult | undefined {
  return result?.ok ? (result.value as SliceResult) : undefined
}

function rank({ from }: Batch): number {
  return from.receivesAppends ? 0 : 1
}

function appendedBy(
  operations: readonly Operation[],
  results: readonly OperationOutcome[],
): readonly AppendedBlock[] {
  return operations.flatMap(({ name, input }, index) => {
    const result = results[index]!
    if (name !== 'appendEvents' || !result.ok) return []
    return [{ ...(result.value as AppendResult), block: input as EventBlock }]
  })
}

function post(
  { port }: WriterConnection,
  committed: CommitResult,
  transfer: readonly ArrayBuffer[] = [],
): void {
  port.postMessage(committed, transfer)
}

/** Removals per appended event during retention, so that the data shrinks under any load. */
const REMOVALS_PER_APPEND = 1.25
/** How long removals may delay other writes, as a multiple of the last shared commit's duration. */
const MAX_ALONE_FACTOR = 5
/** Appended events are counted for this long after the last removal. */
const COUNTS_FOR_MS = 1_000

/**
 * Shares commits between retention and all other writes. While more is appended than removed, retention gets separate
 * commits, so that large batches do not outrun it.
 */
class SliceShare {
  #due = 0
  #removedAt = -Infinity
  #aloneSince: number | undefined
  #sharedTookMs = 0

  mayRunAlone(): boolean {
    const now = performance.now()
    this.#aloneSince ??= now
    return this.#due > 0 && now - this.#aloneSince < MAX_ALONE_FACTOR * this.#sharedTookMs
  }

  /** `removed` is absent if the commit had no slice. */
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
    // If there is nothing to remove, retention needs no separate commits.
    const isPointless = removed === 0 || now - this.#removedAt > COUNTS_FOR_MS
    this.#due = isPointless
      ? 0
      : Math.max(0, this.#due + appended * REMOVALS_PER_APPEND - (removed ?? 0))
  }
}

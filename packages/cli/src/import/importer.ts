import { Analytics, DeliveryError, type ReportedError, ValidationError } from '@hookline/client'
import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import { queueCall } from '../sending/send-calls.ts'
import type { ImportState } from './import-state.ts'
import {
  isRejection,
  type LineCall,
  type LineRules,
  parseLine,
  type Rejection,
  textOf,
} from './parse-line.ts'
import { type Line, readLines } from './read-lines.ts'
import type { RejectedFile, RejectedLine } from './rejected-file.ts'

export interface ImportOptions {
  readonly path: string
  readonly endpoint: URL
  readonly writeKey: string
  readonly type: LineRules['type']
  readonly maxRetries: number
  readonly state: ImportState
  readonly rejectedFile: RejectedFile
  readonly save: (state: ImportState) => Promise<void>
}

/** The maximum number of calls in a batch. Most batches reach the client's `maxBatchBytes` first. */
const BATCH_MESSAGES = 1_000

/**
 * Imports a file in windows of lines, and stores the progress after each. Stops at the first batch that the service does
 * not accept. `state` counts exactly the lines with a known outcome.
 */
export class Importer {
  readonly #options: ImportOptions
  readonly #analytics: HistoricalAnalytics
  readonly #window = new Window()
  readonly #broken = new AbortController()
  #state: ImportState
  /** The number of calls before the window. Their outcomes are known. */
  #callsBefore = 0
  #failure: { readonly error: ReportedError; readonly callsBefore: number } | undefined

  constructor(options: ImportOptions) {
    this.#options = options
    this.#state = options.state
    this.#analytics = new HistoricalAnalytics(options.writeKey, {
      endpoint: options.endpoint.href,
      flushAt: BATCH_MESSAGES,
      maxRetries: options.maxRetries,
      onFull: 'throw',
      onError: (error) => this.#onError(error),
    })
  }

  get state(): ImportState {
    return this.#state
  }

  /** Resolves with the error if the service did not accept a batch. Call it once. */
  async run(signal: AbortSignal): Promise<ReportedError | undefined> {
    const { path, state } = this.#options
    const end = AbortSignal.any([signal, this.#broken.signal])
    for await (const line of readLines(path, state, state.file.bytes)) {
      if (end.aborted) break
      await this.#take(line, end)
      if (this.#window.isFull) await this.#flush(end)
    }
    await this.#flush(end)
    if (!end.aborted) await this.#save({ offset: state.file.bytes, isComplete: true })
    return this.#failure?.error
  }

  async #take(line: Line, end: AbortSignal): Promise<void> {
    if (line.bytes.toString('latin1').trim() === '') return
    const { type, state } = this.#options
    const parsed = parseLine(line, { type, fingerprint: state.file })
    if (isRejection(parsed)) return this.#window.addRejected(line, parsed)
    if (this.#window.hasCall(parsed.messageId)) await this.#flush(end)
    if (!end.aborted) this.#queue(line, parsed)
  }

  #queue(line: Line, call: LineCall): void {
    try {
      queueCall(this.#analytics, call)
      this.#window.addCall(line, call.messageId)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      const { code, message } = error
      this.#window.addRejected(line, { code, message: message.replace(`${code}: `, '') })
    }
  }

  /** Waits for the outcome of every call, or for `end`, and stores the progress. */
  async #flush(end: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>()
    end.addEventListener('abort', () => ended.resolve(), { once: true })
    if (!end.aborted) await Promise.race([this.#analytics.flush(), ended.promise])
    // The outcome of calls that are still in flight stays unknown.
    if (end.aborted) await this.#analytics.close({ timeoutMs: 0 }).catch(() => {})
    const known = this.#failure?.callsBefore ?? this.#callsWithOutcome
    const settled = this.#window.takeSettled(known - this.#callsBefore)
    this.#callsBefore = known
    await this.#store(settled)
  }

  async #store(settled: readonly SettledLine[]): Promise<void> {
    const last = settled.at(-1)
    if (last === undefined) return
    const rejected = settled.flatMap(rejectedLine)
    await this.#options.rejectedFile.append(rejected)
    await this.#save({
      offset: last.line.end,
      line: last.line.number,
      accepted: this.#state.accepted + settled.length - rejected.length,
      rejected: this.#state.rejected + rejected.length,
      rejectedBytes: this.#options.rejectedFile.bytes,
    })
  }

  async #save(change: Partial<ImportState>): Promise<void> {
    const state = { ...this.#state, ...change }
    await this.#options.save(state)
    this.#state = state
  }

  get #callsWithOutcome(): number {
    const { delivered, failed } = this.#analytics.stats
    return delivered + failed
  }

  #onError(error: ReportedError): void {
    if (error.name === 'RejectedError') {
      const { code, messageId } = error
      const message = INGEST_CODES[code as IngestCodeName]?.message ?? error.message
      this.#window.reject(messageId, { code, message })
      return
    }
    // Batches are sent in order: only earlier batches have a known outcome.
    const failed = error instanceof DeliveryError ? error.messages : 0
    this.#failure ??= { error, callsBefore: this.#callsWithOutcome - failed }
    this.#broken.abort()
  }
}

function rejectedLine({ line, rejection }: SettledLine): RejectedLine[] {
  if (rejection === undefined) return []
  return [{ lineNumber: line.number, ...rejection, line: textOf(line) }]
}

/** Keeps the `context.library` of the original call. */
class HistoricalAnalytics extends Analytics {
  protected override withLibrary(context: object): object {
    return { ...super.withLibrary({}), ...context }
  }
}

interface SettledLine {
  readonly line: Line
  readonly rejection: Rejection | undefined
}

interface Entry {
  readonly line: Line
  /** The position of the line's call in the queue; `undefined` for a rejected line. */
  readonly call: number | undefined
  rejection: Rejection | undefined
}

const MAX_LINES = 4_000
const MAX_BYTES = 16 * 1024 * 1024

/** The lines since the last flush, in order. */
class Window {
  readonly #entries: Entry[] = []
  readonly #byMessageId = new Map<string, Entry>()
  #calls = 0
  #bytes = 0

  get isFull(): boolean {
    return this.#entries.length >= MAX_LINES || this.#bytes >= MAX_BYTES
  }

  /** `RejectedError` identifies a rejected call only by its messageId. */
  hasCall(messageId: string): boolean {
    return this.#byMessageId.has(messageId)
  }

  addCall(line: Line, messageId: string): void {
    const entry = { line, call: this.#calls++, rejection: undefined }
    this.#byMessageId.set(messageId, entry)
    this.#add(entry)
  }

  addRejected(line: Line, rejection: Rejection): void {
    this.#add({ line, call: undefined, rejection })
  }

  reject(messageId: string | null, rejection: Rejection): void {
    const entry = this.#byMessageId.get(messageId ?? '')
    if (entry !== undefined) entry.rejection = rejection
  }

  /** Empties the window, and returns its lines with a known outcome. @param calls the number of settled calls */
  takeSettled(calls: number): SettledLine[] {
    const firstOpen = this.#entries.findIndex(({ call = -1 }) => call >= calls)
    const settled = this.#entries.slice(0, firstOpen < 0 ? undefined : firstOpen)
    this.#entries.length = 0
    this.#byMessageId.clear()
    this.#calls = 0
    this.#bytes = 0
    return settled
  }

  #add(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.line.bytes.length
  }
}

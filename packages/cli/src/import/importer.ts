import { Analytics, DeliveryError, type ReportedError, ValidationError } from '@hookline/client'
import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import { hooklineFetch } from '../sending/hookline-fetch.ts'
import { makeCall } from '../sending/make-call.ts'
import type { ImportState } from './import-state.ts'
import { isRejection, type LineCall, type LineRules, parseLine, textOf } from './parse-line.ts'
import { type Line, readLines } from './read-lines.ts'
import type { RejectedFile, RejectedLine } from './rejected-file.ts'
import { type Settled, Window } from './window.ts'

export interface ImportOptions {
  readonly path: string
  readonly endpoint: URL
  readonly writeKey: string
  readonly type: LineRules['type']
  readonly maxRetries: number
  /** Where it stands. */
  readonly state: ImportState
  readonly rejectedFile: RejectedFile
  /** Keeps how far it has come. */
  readonly save: (state: ImportState) => Promise<void>
}

/** Requests are as large as the service takes them: by bytes, rarely by this number. */
const BATCH_MESSAGES = 1_000

/**
 * Imports a file: reads a window of lines, queues their calls, flushes, writes down how far it has come,
 * and reads on. It ends at the end of the file, at the first batch that the service does not take, or when
 * `signal` says so; in each case `state` is true to what is known.
 */
export class Importer {
  readonly #options: ImportOptions
  readonly #analytics: Analytics
  readonly #window = new Window()
  readonly #broken = new AbortController()
  #state: ImportState
  /** Calls that had their fate before the window. */
  #callsBefore = 0
  #failure: { readonly error: ReportedError; readonly callsBefore: number } | undefined

  constructor(options: ImportOptions) {
    this.#options = options
    this.#state = options.state
    this.#analytics = new Analytics(options.writeKey, {
      endpoint: options.endpoint.href,
      flushAt: BATCH_MESSAGES,
      maxRetries: options.maxRetries,
      fetch: hooklineFetch,
      onFull: 'throw',
      onError: (error) => this.#hear(error),
    })
  }

  /** How far it has come. */
  get state(): ImportState {
    return this.#state
  }

  /** Resolves when it has ended, with the error where the service did not take a batch. Call it once. */
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
      makeCall(this.#analytics, call)
      this.#window.addCall(line, call.messageId)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      const { code, message } = error
      this.#window.addRejected(line, { code, message: message.replace(`${code}: `, '') })
    }
  }

  /** Waits until every call has its fate, or for the end, and writes down what is known. */
  async #flush(end: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>()
    end.addEventListener('abort', () => ended.resolve(), { once: true })
    if (!end.aborted) await Promise.race([this.#analytics.flush(), ended.promise])
    // What is still on its way then has no fate that will be known.
    if (end.aborted) await this.#analytics.close({ timeoutMs: 0 }).catch(() => {})
    const known = this.#failure?.callsBefore ?? this.#callsWithFate
    const settled = this.#window.takeSettled(known - this.#callsBefore)
    this.#callsBefore = known
    await this.#keep(settled)
  }

  async #keep(settled: readonly Settled[]): Promise<void> {
    const last = settled.at(-1)
    if (last === undefined) return
    const rejected = settled.flatMap(rejectedLine)
    await this.#options.rejectedFile.append(rejected)
    await this.#save({
      offset: last.line.end,
      line: last.line.number,
      delivered: this.#state.delivered + settled.length - rejected.length,
      rejected: this.#state.rejected + rejected.length,
      rejectedBytes: this.#options.rejectedFile.bytes,
    })
  }

  async #save(change: Partial<ImportState>): Promise<void> {
    const state = { ...this.#state, ...change }
    await this.#options.save(state)
    this.#state = state
  }

  get #callsWithFate(): number {
    const { delivered, failed } = this.#analytics.stats
    return delivered + failed
  }

  #hear(error: ReportedError): void {
    if (error.name === 'RejectedError') {
      const { code, messageId } = error
      const message = INGEST_CODES[code as IngestCodeName]?.message ?? error.message
      this.#window.reject(messageId, { code, message })
      return
    }
    // Batches come in order: what was settled before this one is known, and nothing after it.
    const given = error instanceof DeliveryError ? error.messages : 0
    this.#failure ??= { error, callsBefore: this.#callsWithFate - given }
    this.#broken.abort()
  }
}

function rejectedLine({ line, rejection }: Settled): RejectedLine[] {
  if (rejection === undefined) return []
  return [{ lineNumber: line.number, ...rejection, line: textOf(line) }]
}

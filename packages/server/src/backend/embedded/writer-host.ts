import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import type { SecretBox } from '../../util/secrets/secret-box.ts'
import type { CorruptionWatch } from './corruption/watch.ts'
import { startThread } from '../../util/workers/start-thread.ts'
import { Writer } from './writer.ts'
import type { AppendedBlock } from './writer-connections.ts'
import type { FromWriterThread, ToWriterThread, WriterStart } from './writer-thread.ts'

export class WriterHost implements AsyncDisposable {
  readonly writer: Writer
  /** Removes old events. Uses a separate connection, because the results of a long removal arrive late. */
  readonly removals: Writer
  readonly #thread: Worker
  readonly #opened = Promise.withResolvers<void>()
  /** Resolves when the thread can write; rejects if it never will. */
  readonly opened = this.#opened.promise
  readonly #exited = Promise.withResolvers<void>()
  readonly #onGone = new Map<number, () => void>()
  #connections = 0
  onAppended: (appended: AppendedBlock) => void = () => undefined

  constructor(start: WriterStart, box: SecretBox, watch: CorruptionWatch) {
    const module = new URL('./writer-thread', import.meta.url)
    this.#thread = startThread(module, { name: 'hookline-writer', workerData: start })
    const { port } = this.connect(true)
    const onAppended = (appended: AppendedBlock): void => this.onAppended(appended)
    this.writer = new Writer({ port, box, watch, onAppended })
    this.removals = new Writer({ port: this.connect().port, box, watch })
    this.#thread.on('message', (message: FromWriterThread) => {
      if (message === 'opened') this.#opened.resolve()
      else this.#gone(message.gone)
    })
    this.opened.catch(() => undefined)
    this.#thread.on('error', (error) => this.#fail(error as Error))
    this.#thread.on('exit', () => {
      this.#fail(new Error('The writer thread exited.'))
      for (const id of this.#onGone.keys()) this.#gone(id)
      this.#exited.resolve()
    })
  }

  /** Finishes the operations of the main thread, then closes the database. Other threads must have exited. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.writer, this.removals].map((each) => each[Symbol.asyncDispose]()))
    // A failed thread has the database open until it exits.
    this.#post('close')
    await this.#exited.promise
  }

  /** Connects a thread. `gone` resolves when it has closed `port` or exited, and everything posted is committed. */
  connect(receivesAppends = false): { readonly port: MessagePort; readonly gone: Promise<void> } {
    const { port1, port2 } = new MessageChannel()
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const id = this.#connections++
    this.#onGone.set(id, resolve)
    this.#post({ id, port: port1, receivesAppends }, port1)
    return { port: port2, gone }
  }

  #post(message: ToWriterThread, port?: MessagePort): void {
    this.#thread.postMessage(message, port === undefined ? [] : [port])
  }

  #gone(id: number): void {
    this.#onGone.get(id)?.()
    this.#onGone.delete(id)
  }

  #fail(error: Error): void {
    this.#opened.reject(error)
    for (const writer of [this.writer, this.removals]) writer.fail(error)
  }
}

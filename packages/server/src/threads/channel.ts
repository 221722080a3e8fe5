import type { Transferable } from 'node:worker_threads'
import { BackendUnavailable } from '../backend/backend.ts'
import { CatalogConflict } from '../backend/catalog.ts'

/** The arguments of a call: the input of the function, if it has one, and what of it is moved instead of copied. */
type Args<F> = F extends () => unknown
  ? []
  : F extends (input: infer Input) => unknown
    ? [input: Input, transfer?: readonly Transferable[]]
    : never

/** What a call resolves with. */
type Result<F> = F extends (...input: never[]) => infer Value ? Copied<Awaited<Value>> : never
type Copied<Value> = Value extends Moved<infer Inside> ? Inside : Value

type Message =
  | readonly ['send', name: string, input: unknown]
  | readonly ['call', id: number, name: string, input: unknown]
  | readonly ['value', id: number, value: unknown]
  | readonly ['error', id: number, error: WireError]

interface Outgoing {
  readonly message: Message
  readonly transfer: readonly Transferable[]
}

interface OpenCall {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** The result of a function whose buffers are moved to the caller instead of copied. The caller gets the value. */
export class Moved<Value> {
  readonly value: Value
  readonly transfer: readonly Transferable[]

  constructor(value: Value, transfer: readonly Transferable[]) {
    this.value = value
    this.transfer = transfer
  }
}

/** What a channel needs of its `MessagePort`: the simulator has ports of its own. */
export interface ChannelPort {
  on(event: 'message' | 'messageerror' | 'close', listener: (message: unknown) => void): unknown
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  ref(): void
  unref(): void
  close(): void
}

export interface ChannelOptions {
  /** Whether the port keeps its thread alive. Without this, it does while a call has no response. */
  readonly keepsAlive?: boolean
}

/**
 * Functions that threads call across a MessagePort. `Here` is the interface of those that this side offers, and `There`
 * of those of the other side; each has one input or none. `call` gets the result, and `send` gets none.
 *
 * What is said in one turn of the event loop is one message. It leaves at the end of the turn (setImmediate), and not with
 * the next microtask: each socket that is read in a turn has microtasks of its own, and would have a message of its own.
 *
 * A function that throws for a `call` rejects that call. For a `send`, its error is uncaught.
 */
export class Channel<Here, There> {
  /** Resolves when no message can come or go any more. */
  readonly closed: Promise<void>
  readonly #port: ChannelPort
  readonly #keepsAlive: boolean
  readonly #open = new Map<number, OpenCall>()
  #functions: Here | undefined
  #outgoing: Outgoing[] = []
  #calls = 0
  #gone: Error | undefined

  constructor(port: ChannelPort, { keepsAlive = false }: ChannelOptions = {}) {
    this.#port = port
    this.#keepsAlive = keepsAlive
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    port.on('message', (messages) => {
      for (const message of messages as readonly Message[]) this.#take(message)
    })
    // What cannot be read may be a response, which its caller would await for ever.
    port.on('messageerror', () => this.close())
    port.on('close', () => {
      this.#end(new ThreadGone())
      resolve()
    })
    if (!keepsAlive) port.unref()
  }

  /** Offers these functions. A call that comes before them rejects. */
  offer(functions: Here): void {
    this.#functions = functions
  }

  /**
   * Calls a function of the other side.
   * @throws {ThreadGone} where the other side is gone, or ends before it responds
   * @throws {Error} what the function throws, with its name, message and code
   */
  call<Name extends keyof There & string>(
    name: Name,
    ...[input, transfer]: Args<There[Name]>
  ): Promise<Result<There[Name]>> {
    if (this.#gone) return Promise.reject(this.#gone)
    const { promise, resolve, reject } = Promise.withResolvers<Result<There[Name]>>()
    const id = this.#calls++
    if (this.#open.size === 0) this.#port.ref()
    this.#open.set(id, { resolve, reject })
    this.#post(['call', id, name, input], transfer)
    return promise
  }

  /** Calls a function of the other side, without a result. Does nothing when the other side is gone. */
  send<Name extends keyof There & string>(
    name: Name,
    ...[input, transfer]: Args<There[Name]>
  ): void {
    this.#post(['send', name, input], transfer)
  }

  /** Posts what waits for the end of the turn. */
  flush(): void {
    const outgoing = this.#outgoing
    this.#outgoing = []
    if (outgoing.length === 0 || this.#gone) return
    try {
      this.#port.postMessage(
        outgoing.map(({ message }) => message),
        outgoing.flatMap(({ transfer }) => transfer),
      )
    } catch {
      // One message that cannot be copied must not take the others with it.
      for (const each of outgoing) this.#postAlone(each)
    }
  }

  /** Posts what waits, and closes both sides. Open calls reject with `reason`. */
  close(reason: Error = new ThreadGone()): void {
    this.flush()
    this.#end(reason)
    this.#port.close()
  }

  #post(message: Message, transfer: readonly Transferable[] = []): void {
    if (this.#gone) return
    if (this.#outgoing.push({ message, transfer }) === 1) setImmediate(() => this.flush())
  }

  #postAlone({ message, transfer }: Outgoing): void {
    try {
      this.#port.postMessage([message], transfer)
    } catch (error) {
      const [kind, id] = message
      if (kind === 'call') this.#settle(id)?.reject(error as Error)
      else if (kind === 'send') throw error
      else this.#port.postMessage([['error', id, wireError(error)]])
    }
  }

  #take(message: Message): void {
    switch (message[0]) {
      case 'send':
        this.#run(message[1], message[2])
        return
      case 'call':
        this.#respond(message[1], message[2], message[3])
        return
      case 'value':
        this.#settle(message[1])?.resolve(message[2] as never)
        return
      case 'error':
        this.#settle(message[1])?.reject(restoredError(message[2]))
    }
  }

  #run(name: string, input: unknown): unknown {
    const functions = this.#functions as Record<string, (input: unknown) => unknown> | undefined
    if (functions?.[name] === undefined) throw new TypeError(`This side offers no ${name}.`)
    return functions[name](input)
  }

  #respond(id: number, name: string, input: unknown): void {
    const onError = (error: unknown): void => this.#post(['error', id, wireError(error)])
    const onValue = (result: unknown): void => {
      if (result instanceof Moved) this.#post(['value', id, result.value], result.transfer)
      else this.#post(['value', id, result])
    }
    try {
      const result = this.#run(name, input)
      if (result instanceof Promise) result.then(onValue, onError)
      else onValue(result)
    } catch (error) {
      onError(error)
    }
  }

  #settle(id: number): OpenCall | undefined {
    const call = this.#open.get(id)
    this.#open.delete(id)
    if (this.#open.size === 0 && !this.#keepsAlive) this.#port.unref()
    return call
  }

  #end(reason: Error): void {
    this.#gone ??= reason
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { reject } of open) reject(this.#gone)
  }
}

/** A call to a thread that has ended, or that ended before it responded. It may have done what the call asks, or not. */
export class ThreadGone extends Error {
  override readonly name = 'ThreadGone'

  constructor(options?: ErrorOptions) {
    super('The thread has ended before it responded.', options)
  }
}

/** An error as it crosses between threads. A structured clone would lose its class, its code and the name it gave itself. */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  readonly cause?: WireError | undefined
  /** Its own properties that are texts, numbers or booleans: `code` and the like. */
  readonly properties: Readonly<Record<string, unknown>>
}

/** Causes of causes that cross. */
const MOST_CAUSES = 4

/** The classes of errors that code asks for with `instanceof`. Others arrive as Error, with their name. */
const CLASSES = new Map(
  [BackendUnavailable, CatalogConflict, TypeError, RangeError, SyntaxError].map((each) => [
    each.name,
    each,
  ]),
)

/** What crosses of an error, or of anything else that was thrown. */
export function wireError(error: unknown, causes = MOST_CAUSES): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), properties: {} }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    stack,
    ...(cause instanceof Error && causes > 0 && { cause: wireError(cause, causes - 1) }),
    properties: Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value))),
  }
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** The error again, with its name, message, stack, code and causes. A `BackendUnavailable` is one again. */
export function restoredError({ name, message, stack, cause, properties }: WireError): Error {
  const options = cause && { cause: restoredError(cause) }
  const error: Error = new (CLASSES.get(name) ?? Error)(message, options)
  if (error.name !== name) error.name = name
  if (stack !== undefined) error.stack = stack
  return Object.assign(error, properties)
}

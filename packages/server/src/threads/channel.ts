import type { Transferable } from 'node:worker_threads'
import { ShortLivedMap } from '../util/short-lived.ts'
import { BackendUnavailableError } from '../backend/backend.ts'
import { CatalogConflictError } from '../backend/catalog.ts'

/** The input of a function, if any, and the objects in it to transfer. */
type Args<F> = F extends () => unknown
  ? []
  : F extends (input: infer Input) => unknown
    ? [input: Input, transfer?: readonly Transferable[]]
    : never

type Result<F> = F extends (...input: never[]) => infer Value ? Awaited<Value> : never

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

/** The subset of `MessagePort` in use, which the simulator also implements. */
export interface ChannelPort {
  on(event: 'message' | 'messageerror' | 'close', listener: (message: unknown) => void): unknown
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  ref(): void
  unref(): void
  close(): void
}

export interface ChannelOptions {
  /** Whether the port keeps its thread alive. By default, it does while a call is open. */
  readonly keepsAlive?: boolean
}

/**
 * Functions that threads call across a MessagePort: `Here` on this side, `There` on the other. Each has one input or
 * none.
 *
 * Messages from one turn of the event loop are sent together at its end (setImmediate). With a microtask, each socket
 * that is read in a turn would send its own.
 *
 * A function that throws rejects a `call`. After a `send`, its error is uncaught.
 */
export class Channel<Here, There> {
  readonly closed: Promise<void>
  readonly #port: ChannelPort
  readonly #keepsAlive: boolean
  readonly #open = new ShortLivedMap<number, OpenCall>()
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
    // An unreadable message may be a response, which would never arrive.
    port.on('messageerror', () => this.close())
    port.on('close', () => {
      this.#end(new ThreadExitedError())
      resolve()
    })
    if (!keepsAlive) port.unref()
  }

  /** Offers these functions. Calls received before that are rejected. */
  offer(functions: Here): void {
    this.#functions = functions
  }

  /**
   * @throws {ThreadExitedError} if the other side has ended, or ends before its response
   * @throws {Error} the function's error, with its name, message and code
   */
  call<Name extends keyof There & string>(
    name: Name,
    ...[input, transfer]: Args<There[Name]>
  ): Promise<Result<There[Name]>> {
    if (this.#gone) return Promise.reject(this.#gone)
    const { promise, resolve, reject } = Promise.withResolvers<Result<There[Name]>>()
    const id = this.#calls++
    if (this.#open.size === 0) this.#port.ref()
    this.#open.add(id, { resolve, reject })
    this.#post(['call', id, name, input], transfer)
    return promise
  }

  /** Calls a function without waiting for its result. Does nothing if the other side has ended. */
  send<Name extends keyof There & string>(
    name: Name,
    ...[input, transfer]: Args<There[Name]>
  ): void {
    this.#post(['send', name, input], transfer)
  }

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
      // Only the message that cannot be copied is lost.
      for (const each of outgoing) this.#postAlone(each)
    }
  }

  /** Posts pending messages, and closes both sides. Open calls reject with `reason`. */
  close(reason: Error = new ThreadExitedError()): void {
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
    if (functions?.[name] === undefined)
      throw new TypeError(`This side of the channel has no function ${name}.`)
    return functions[name](input)
  }

  #respond(id: number, name: string, input: unknown): void {
    const onError = (error: unknown): void => this.#post(['error', id, wireError(error)])
    const onValue = (result: unknown): void => this.#post(['value', id, result])
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
    const open = this.#open.values()
    this.#open.clear()
    for (const { reject } of open) reject(this.#gone)
  }
}

/** A call to a thread that exited before it responded. The call may have had effects. */
export class ThreadExitedError extends Error {
  override readonly name = 'ThreadExitedError'

  constructor(options?: ErrorOptions) {
    super('The thread exited before it responded.', options)
  }
}

/** An error for another thread. A structured clone loses its class, code and own name. */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  readonly cause?: WireError | undefined
  /** Own properties that are strings, numbers or booleans, like `code`. */
  readonly properties: Readonly<Record<string, unknown>>
}

const MAX_CAUSES = 4

/** Classes that code checks with `instanceof`. Others arrive as Error, with their name. */
const CLASSES = new Map(
  [BackendUnavailableError, CatalogConflictError, TypeError, RangeError, SyntaxError].map(
    (each) => [each.name, each],
  ),
)

export function wireError(error: unknown, causes = MAX_CAUSES): WireError {
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

/** The error, with its name, message, stack, causes and properties, and its class if that is in `CLASSES`. */
export function restoredError({ name, message, stack, cause, properties }: WireError): Error {
  const options = cause && { cause: restoredError(cause) }
  const error: Error = new (CLASSES.get(name) ?? Error)(message, options)
  if (error.name !== name) error.name = name
  if (stack !== undefined) error.stack = stack
  return Object.assign(error, properties)
}

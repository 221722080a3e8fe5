import { type KindUsage, usageByKind } from '../profile/thread-times.ts'
import { requestTemplate } from './calls.ts'
import { Child } from './child.ts'
import { EndToEndLoad } from './end-to-end-load.ts'
import { EventReceiver } from './event-receiver.ts'
import { RawClient } from './raw-client.ts'
import { ServiceProcess } from './service-process.ts'
import { environmentOf, type Threads } from './threads.ts'

/** A measured program with its load and its receiver. */
export interface LoadedProgram extends AsyncDisposable {
  readonly program: Child
  /** The process of the receiver; undefined without a receiver, or if it runs in the process of the load. */
  readonly receiver?: Child
  /** Loads the program, and resolves with its throughput per second. */
  measure(seconds: number): Promise<number>
}

interface DeliveryLoad {
  readonly threads?: Threads
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** A program from `bench/programs` that delivers to the receiver's port, which is its first argument, before `args`. */
export async function loadedDelivery(
  script: string,
  { threads, args = [], environment = {} }: DeliveryLoad = {},
): Promise<LoadedProgram> {
  await using stack = new AsyncDisposableStack()
  const [receiver, port] = await Child.start('receiver.ts')
  stack.use(receiver)
  const variables = { ...(threads && environmentOf(threads)), ...environment }
  const [program] = await Child.start(script, [String(port), ...args], variables)
  stack.use(program)
  return {
    program,
    receiver,
    measure: async (seconds) => Number(await program.request({ name: 'rate', seconds })),
    ...disposing(stack.move()),
  }
}

/** Calls to a service without destinations, or to the bare server. */
export interface IngestLoad {
  /** Calls in a request. */
  readonly count: number
  readonly connections: number
}

/** Hookline without destinations, which only accepts calls. */
export async function loadedIngest(load: IngestLoad, threads?: Threads): Promise<LoadedProgram> {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await ServiceProcess.start(undefined, threads))
  const { writeKey } = await service.addSource()
  const measure = callsPerSecond({ ...load, port: service.port, writeKey })
  return { program: service.program, measure, ...disposing(stack.move()) }
}

/** The bare server that ingestion is compared with. */
export async function loadedBareServer(load: IngestLoad): Promise<LoadedProgram> {
  await using stack = new AsyncDisposableStack()
  const [program, port] = await Child.start('bare-server.ts')
  stack.use(program)
  const measure = callsPerSecond({ ...load, port: Number(port), writeKey: 'none' })
  return { program, measure, ...disposing(stack.move()) }
}

/** Hookline with one destination: from call to receiver. */
export async function loadedService(count: number, threads?: Threads): Promise<LoadedProgram> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await new EventReceiver().open())
  const service = stack.use(await ServiceProcess.start(undefined, threads))
  const { writeKey } = await service.addSource(receiver.urlOf('/hook'))
  const load = stack.use(await EndToEndLoad.open({ port: service.port, writeKey, receiver, count }))
  return {
    program: service.program,
    measure: (seconds) => load.throughput(seconds),
    ...disposing(stack.move()),
  }
}

/** The CPU usage of each kind of thread during a measurement. */
export interface MeasuredUsage {
  readonly usage: ReadonlyMap<string, KindUsage>
  readonly events: number
  /** Events per second. */
  readonly rate: number
  readonly elapsedMicros: number
}

/** Measures the program and the CPU usage of each kind of thread. */
export async function usageDuring(loaded: LoadedProgram, seconds: number): Promise<MeasuredUsage> {
  const before = loaded.program.threadTimes()
  const started = performance.now()
  const rate = await loaded.measure(seconds)
  const elapsedMicros = (performance.now() - started) * 1000
  const usage = usageByKind(before, loaded.program.threadTimes())
  return { usage, events: (rate * elapsedMicros) / 1e6, rate, elapsedMicros }
}

/** CPU time per event in microseconds. */
export interface EventCost {
  /** As reported by the program. */
  readonly micros: number
  /** By kind of thread; empty without `/proc`. */
  readonly byThread: ReadonlyMap<string, number>
}

export async function costPerEvent(loaded: LoadedProgram, seconds: number): Promise<EventCost> {
  const before = await loaded.program.usage()
  const { usage, events } = await usageDuring(loaded, seconds)
  const { cpuMicros } = await loaded.program.usage()
  return {
    micros: (cpuMicros - before.cpuMicros) / events,
    byThread: new Map([...usage].map(([kind, of]) => [kind, of.cpuMicros / events])),
  }
}

function disposing(stack: AsyncDisposableStack): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

interface Requests extends IngestLoad {
  readonly port: number | readonly number[]
  readonly writeKey: string
}

/** Closed loop: each connection sends its next request after the previous response. Resolves to the number of calls. */
export function sendingCalls({ port, writeKey, count, connections }: Requests) {
  return async (seconds: number): Promise<number> => {
    const path = count === 1 ? '/v1/track' : '/v1/batch'
    const nextRequest = requestTemplate(path, writeKey, { count })
    let sent = 0
    let end = Infinity
    const next = (): Buffer | undefined => {
      if (performance.now() >= end) return undefined
      sent++
      return nextRequest()
    }
    await using client = await RawClient.open({ port, connections, next })
    end = performance.now() + seconds * 1000
    client.poke()
    await client.idle()
    return count * sent
  }
}

function callsPerSecond(requests: Requests) {
  const send = sendingCalls(requests)
  return async (seconds: number): Promise<number> => {
    const started = performance.now()
    return (await send(seconds)) / ((performance.now() - started) / 1000)
  }
}

import { EventReceiver } from '../load/event-receiver.ts'
import { type LoadedService, throughput } from '../load/throughput.ts'
import type { Curve, RunSettings } from './benchmark.ts'

/**
 * The throughput of one service for each `x`. All services run at the same time, but only one is under load. Every
 * other round runs in reverse order. `open` starts the service and adds its resources to `stack`.
 */
export async function throughputCurve(
  settings: RunSettings,
  xs: readonly number[],
  open: (receiver: EventReceiver, x: number, stack: AsyncDisposableStack) => Promise<LoadedService>,
): Promise<Curve['points']> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await new EventReceiver().open())
  const all: { x: number; loaded: LoadedService; values: number[] }[] = []
  for (const x of xs) {
    const loaded = await open(receiver, x, stack)
    stack.use(loaded.service)
    // Warms up code and sockets.
    await throughput(receiver, loaded, settings.seconds / 2)
    all.push({ x, loaded, values: [] })
  }
  for (let round = 0; round < settings.rounds; round++) {
    for (const { loaded, values } of round % 2 === 0 ? all : all.toReversed()) {
      values.push(await throughput(receiver, loaded, settings.seconds))
    }
  }
  return all.map(({ x, values }) => ({ x, values }))
}

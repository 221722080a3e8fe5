import { workerData } from 'node:worker_threads'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import { Metrics } from '../telemetry/metrics.ts'
import type { BaseOfMain, BaseOfThread, ThreadStart } from './base-functions.ts'
import { Channel } from './channel.ts'
import { threadActivity } from './thread-activity.ts'
import { ThreadLogger } from './thread-logger.ts'

/** What a thread has of main. */
export interface ThreadContext<Thread, Main, Data> {
  /** What the thread was started with. */
  readonly data: Data
  /** The functions of main. */
  readonly main: Channel<Thread & BaseOfThread, Main & BaseOfMain>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly activity: ActivityListener
}

/** What a thread does. */
export interface ThreadBody<Thread> {
  /** What it offers to main: an object of functions, and no instance of a class, whose methods would be lost. Calls come when the thread is ready. */
  readonly functions: Thread
  /** Ends its work. The thread ends when it resolves. */
  readonly stop: () => Promise<void>
}

/** As many as the setting `maxDestinationsInMetrics` permits at most: main decides which of them are shown. */
const MOST_DESTINATIONS = 10_000

/**
 * Runs a thread that a `ThreadHost` has started. The names `stop`, `metrics`, `ready`, `log` and `activity` are taken: see
 * base-functions.ts. When `start` rejects, or later something throws that nothing catches, the thread ends.
 * @param start begins the work. When it resolves, main hands out work.
 */
export async function runThread<Thread, Main, Data>(
  start: (context: ThreadContext<Thread, Main, Data>) => Promise<ThreadBody<Thread>>,
): Promise<void> {
  const { port, levels, data } = workerData as ThreadStart<Data>
  const main = new Channel<Thread & BaseOfThread, Main & BaseOfMain>(port, { keepsAlive: true })
  // A thread that main has let go ends, whatever it has open.
  void main.closed.then(() => process.exit(0))
  // The last lines of the log say why it ends.
  process.once('exit', () => main.flush())
  const metrics = new Metrics(MOST_DESTINATIONS, { ofProcess: false })
  await beginThread({ data, main, levels, metrics }, start)
}

/** Begins the work of a thread, and offers it to main. `runThread` does so in a thread, and the simulator without one. */
export async function beginThread<Thread, Main, Data>(
  {
    levels,
    ...given
  }: Pick<ThreadContext<Thread, Main, Data>, 'data' | 'main' | 'metrics'> &
    Pick<ThreadStart<Data>, 'levels'>,
  start: (context: ThreadContext<Thread, Main, Data>) => Promise<ThreadBody<Thread>>,
): Promise<void> {
  const { main, metrics } = given
  const base = main as unknown as Channel<BaseOfThread, BaseOfMain>
  const { functions, stop } = await start({
    ...given,
    logger: new ThreadLogger(levels, (line) => base.send('log', line)),
    activity: threadActivity((call) => base.send('activity', call)),
  })
  main.offer({ ...functions, stop, metrics: () => metrics.ofThisThread() })
  base.send('ready')
}

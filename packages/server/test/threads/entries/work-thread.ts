import { BackendUnavailableError } from '../../../src/backend/backend.ts'
import { runThread } from '../../../src/threads/run-thread.ts'
import { nextTurn } from '../../../src/util/time/clock.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { failedOnce } from '@hookline/testing/records/failed-once'

/** The functions of the thread. */
export interface WorkThread {
  readonly add: (numbers: readonly number[]) => number
  readonly sumOf: (block: ArrayBuffer) => number
  readonly never: () => Promise<void>
  readonly fail: (how: 'unavailable' | 'coded' | 'text') => Promise<void>
  readonly mainName: () => Promise<string>
  readonly uncloneable: () => unknown
  readonly signals: () => void
  /** Makes the thread exit: by an error, a rejection, `process.exit`, or lack of memory. */
  readonly end: (how: 'throw' | 'reject' | 'exit' | 'memory') => void
}

/** The functions of the main thread. */
export interface WorkMain {
  readonly nameOfMain: () => string
  readonly said: (text: string) => void
}

/** The start data of the thread. */
export interface WorkData {
  /** How long `stop` takes. */
  readonly stops?: 'never' | 'soon'
  readonly starts?: 'never' | 'unavailable'
}

const hold: unknown[] = []

await runThread<WorkThread, WorkMain, WorkData>(async (context) => {
  const { data, main, logger, metrics, activity } = context
  if (data.starts === 'unavailable') throw new BackendUnavailableError('disk full')
  if (data.starts === 'never') await new Promise(() => undefined)
  return {
    functions: {
      add: (numbers) => numbers.reduce((sum, each) => sum + each, 0),
      sumOf: (block) => new Uint8Array(block).reduce((sum, each) => sum + each, 0),
      never: () => new Promise(() => undefined),
      fail: async (how) => {
        if (how === 'unavailable') throw new BackendUnavailableError('disk full')
        if (how === 'coded') throw Object.assign(new TypeError('no'), { code: 'ENO', errcode: 11 })
        throw 'a text'
      },
      mainName: () => main.call('nameOfMain'),
      uncloneable: () => () => 1,
      signals: () => {
        logger.debug({}, 'attempt.failed')
        logger.warn({ class: 'timeout', at: new Date(0) }, 'webhook.failing')
        const cause = new Error('the cause')
        logger.error({ err: new RangeError('too far', { cause }) }, 'attempt.crashed')
        metrics.attempts.inc({ outcome: 'retry', class: 'timeout' }, 3)
        metrics.attemptDuration.observe(0.02)
        metrics.inFlight.add(2)
        metrics.destinationCounts.attempt('dst_1', 'http://a.example/', 'delivered')
        activity.recorded(failedOnce(acceptedEvent(), 'dst_1'))
        activity.rejected('invalid_json', 7)
        main.send('said', 'done')
      },
      end: (how) => {
        if (how === 'throw') {
          logger.error({ err: new Error('why') }, 'attempt.crashed')
          throw new TypeError('a fault')
        }
        if (how === 'reject') void Promise.reject(new RangeError('a rejection'))
        if (how === 'exit') process.exit(3)
        if (how === 'memory') for (;;) hold.push(Array.from({ length: 10_000 }, () => ({})))
      },
    },
    stop: async () => {
      if (data.stops === 'never') await new Promise(() => undefined)
      await nextTurn()
      main.send('said', 'stopped')
    },
  }
})

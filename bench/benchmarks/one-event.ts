import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '../load/calls.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'
import type { Threads } from '../load/threads.ts'
import type { Benchmark, Figure } from './benchmark.ts'

/**
 * The number of events in a run, which is compared with a run without events. Functions that run fewer times, such as timers,
 * are not counted.
 */
const EVENTS = 200

interface Goals {
  readonly functions: number
  readonly files: number
  readonly messages: number
}

/** The amount of code that a `track` call runs on its way to one receiver, and the number of thread crossings. */
export function oneEvent(goals: Goals): Benchmark {
  return {
    async run() {
      return {
        figures: [
          ...(await figuresWith({ ingest: 0, delivery: 0 }, 'no threads', goals)),
          ...(await figuresWith({ ingest: 1, delivery: 1 }, 'a thread of each kind', goals)),
        ],
        notes: [
          `functions and files of packages/*/src that run at least once for each of ${EVENTS} sequential calls, from V8's coverage; messages from counting postMessage in every thread, including the writer`,
        ],
      }
    },
  }
}

async function figuresWith(threads: Threads, name: string, goals: Goals): Promise<Figure[]> {
  const idle = await countsAfter(0, threads)
  const busy = await countsAfter(EVENTS, threads)
  const run = [...busy.calls].filter(([key, count]) => count - (idle.calls.get(key) ?? 0) >= EVENTS)
  const files = new Set(run.map(([key]) => key.slice(0, key.indexOf(' '))))
  const messages = (busy.messages - idle.messages) / EVENTS
  const figure = (what: keyof Goals, value: number): Figure => ({
    name: `${what}, ${name}`,
    unit: '',
    values: [value],
    goal: { atMost: goals[what] },
  })
  return [
    figure('functions', run.length),
    figure('files', files.size),
    figure('messages', messages),
  ]
}

interface Counts {
  /** The number of calls to each function, by its file and position. */
  readonly calls: ReadonlyMap<string, number>
  readonly messages: number
}

/** Starts a service, sends calls, each when the previous one has been delivered, and stops the service. */
async function countsAfter(events: number, threads: Threads): Promise<Counts> {
  using folder = temporaryDataDir()
  await using receiver = await new EventReceiver().open()
  {
    await using service = await ServiceProcess.start(undefined, threads, {}, folder.path)
    const source = await service.addSource(receiver.urlOf('/'))
    for (let event = 0; event < events; event++) {
      const { promise: delivered, resolve } = Promise.withResolvers<void>()
      receiver.onEvent = () => resolve()
      await service.send(source, call())
      await delivered
    }
  }
  return countsIn(folder.path)
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly [{ readonly startOffset: number; readonly count: number }]
    }[]
  }[]
}

function countsIn(folder: string): Counts {
  const texts = readdirSync(folder).map(
    (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
  )
  const [posted, covered] = [
    texts.filter(isOfMessages),
    texts.filter((each) => !isOfMessages(each)),
  ]
  const calls = new Map<string, number>()
  for (const [key, count] of covered.flatMap(([, text]) => callsIn(JSON.parse(text) as Coverage)))
    calls.set(key, (calls.get(key) ?? 0) + count)
  return { calls, messages: posted.reduce((sum, [, text]) => sum + Number(text), 0) }
}

function isOfMessages([name]: readonly [string, string]): boolean {
  return name.startsWith('messages-')
}

function callsIn({ result }: Coverage): (readonly [string, number])[] {
  return result
    .filter(({ url }) => /\/packages\/\w+\/src\//.test(url))
    .flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges: [{ startOffset, count }] }) => {
        return [`${url} ${startOffset} ${functionName}`, count] as const
      }),
    )
}
